/** `log find`: where an offset or a time lies in a partition's files, from the broker that has them open or from a folder. */
import { compression } from "@minikafka/compression";
import { findInFolder, NodeDisk, type SoughtPlace } from "@minikafka/core/log";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { withSession } from "../session.ts";
import { partitionsAt } from "./folders.ts";
import { findFromFolder, findFromWire, printFind } from "./shown-find.ts";

export function findInPartition(
  context: Context,
  place: { readonly topic: string; readonly partition: number },
  sought: SoughtPlace,
): Promise<undefined> {
  return withSession(context, async (session) => {
    const asked = "offset" in sought ? sought : { timestamp_ms: sought.timestampMs };
    const found = await session.call("find_in_log", { ...place, ...asked });
    const name = `${place.topic}-${place.partition}`;
    await printFind(context, { name, sought }, findFromWire(found));
    return undefined;
  });
}

export async function findInFiles(context: Context, path: string, sought: SoughtPlace): Promise<undefined> {
  const disk = new NodeDisk();
  const [folder = path, ...others] = partitionsAt(disk, path, "find");
  if (others.length > 0) {
    throw new CliError("USAGE", `${path} holds ${others.length + 1} partitions; expected one`, {
      hint: `name one of them, such as ${folder}`,
    });
  }
  const { range, ...found } = findInFolder({ disk, folder, compression }, sought);
  const isOutside = range !== null && "offset" in sought && found.steps.length === 0 && found.damage === null;
  if (isOutside) {
    const { startOffset, endOffset } = range;
    const expected =
      startOffset === endOffset ? "it is empty" : `expected ${startOffset} to ${endOffset - 1}`;
    throw new CliError("NOT_FOUND", `offset ${sought.offset} is not in the log of ${path}; ${expected}`, {
      details: { offset: sought.offset, log_start_offset: startOffset, log_end_offset: endOffset },
    });
  }
  await printFind(context, { name: path, sought }, findFromFolder(found));
  return undefined;
}
