/** The work of `offsets delete`: single offsets of a group are forgotten, and each is told. */
import type { ErrorCode, ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import type { PartitionSpec } from "../input/partition-spec.ts";
import { withSession } from "../session.ts";
import { placesNamed } from "./committed-places.ts";

type Deleted = ParsedResponse<"delete_offsets">["partitions"][number];

/** Throws what the first partition is refused for, when all have been told. */
export function deleteOffsets(
  context: Context,
  group: string,
  places: readonly PartitionSpec[],
): Promise<undefined> {
  return withSession(context, async (session) => {
    const asked = await placesNamed(session, places);
    const { partitions } = await session.call("delete_offsets", { group_id: group, partitions: asked });
    if (context.settings.json) await context.data.json({ group_id: group, partitions });
    else for (const each of partitions) await context.data.line(told(group, each));
    const refused = partitions.find((each) => "code" in each);
    if (refused === undefined || !("code" in refused)) return undefined;
    const { code, message, details = {} } = refused;
    throw new CliError(code as ErrorCode, message, { details });
  });
}

function told(group: string, each: Deleted): string {
  const place = `${each.topic} [${each.partition}]`;
  if ("code" in each) return `${group} keeps what it has committed for ${place}: ${each.code}`;
  return each.offset === null
    ? `${group} has committed nothing for ${place}`
    : `deleted offset ${each.offset} of ${group} for ${place}`;
}
