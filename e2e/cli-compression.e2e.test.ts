/** `produce --compression`: what the programs pack, keep, show and read, over the wire and in the folder of the log. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, jsonLines, output } from "./support/cli.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const CODECS = ["gzip", "snappy", "lz4", "zstd"];
const text = "a line that is much like any other ".repeat(5);

test("what produce --compression packs is shown, found and consumed, whatever the codec", {
  timeout: 120_000,
}, async () => {
  const broker = await startDaemon(temporaryFolder(), ["--log-level", "warn"]);
  await output(broker, ["topics", "create", "orders"]);
  for (const codec of CODECS)
    await output(broker, ["produce", "orders", "--compression", codec, "-v", `${codec}: ${text}`]);
  const values = CODECS.map((codec) => `${codec}: ${text}`);

  const fetched = jsonLines(await output(broker, ["fetch", "orders", "-e", "-J"]));
  expect(fetched.map(({ value }) => value)).toEqual(values);
  const consumed = jsonLines(await output(broker, ["consume", "orders", "-o", "beginning", "-e", "-J"]));
  expect(consumed.map(({ value }) => value)).toEqual(values);

  const folder = join(broker.data, "broker-1", "orders-0");
  for (const place of [["orders", "-p", "0"], [folder]]) {
    const dumped = jsonLines(await output(broker, ["log", "dump", ...place, "-J", "--records"]));
    const batches = dumped.filter(({ type }) => type === "batch");
    expect(batches.map(({ codec }) => codec)).toEqual(CODECS);
    expect(batches.map(({ records }) => (records as { value: string }[])[0]?.value)).toEqual(values);
    const found = jsonLines(await output(broker, ["log", "find", ...place, "-o", "2", "-J"]));
    expect(found.find(({ type }) => type === "record")).toMatchObject({ offset: 2, place: 0 });
  }
  expect(await command(broker, ["produce", "orders", "--compression", "brotli", "-v", "v"])).toMatchObject({
    code: 2,
  });
});
