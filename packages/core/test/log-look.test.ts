/** Who only looks at a log changes nothing of it, whatever has become of its indexes. */
import { expect, test } from "vitest";
import { OffsetIndex } from "../src/log/indexes/offset-index.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { batch, isIndex, type LogWorld, newWorld, rewrite, worldOn } from "./log-world.ts";
import { data, endTransaction } from "./transactions-world.ts";

const SMALL = { segmentBytes: 900 };

/** Several segments; transactions are aborted in two of them, one is open from the beginning on. */
async function written(): Promise<LogWorld> {
  const world = newWorld(SMALL);
  const log = world.open();
  log.append(data(6, ["open"]), 0);
  for (const producerId of [7, 8]) {
    log.append(data(producerId, ["aborted"]), 0);
    for (let n = 0; n < 12; n++) log.append(batch([`plain ${n}`]), 0);
    endTransaction(log, producerId, "abort");
  }
  log.append(data(6, ["open still"]), 0);
  await log.close();
  return world;
}

const world = await written();

/** Says that each batch lies where another does. */
function lying(bytes: Buffer): Buffer {
  const decoded = OffsetIndex.decode(bytes);
  if ("problem" in decoded) throw new Error(decoded.problem);
  const lie = new OffsetIndex();
  for (const { relativeOffset, position } of decoded.index.list())
    lie.add({ relativeOffset, position: position + 1 });
  return lie.encode(decoded.indexedBytes);
}

const HARMS = [
  ["whole", () => {}],
  ["missing", ({ disk }: LogWorld, path: string) => disk.remove(path)],
  ["cut", ({ disk }: LogWorld, path: string) => rewrite(disk, path, (bytes) => bytes.subarray(0, -1))],
  [
    "untrue",
    ({ disk }: LogWorld, path: string) => {
      if (path.endsWith(".index")) rewrite(disk, path, lying);
    },
  ],
] as const;

function opened(harm: (world: LogWorld, path: string) => void): { harmed: LogWorld; log: PartitionLog } {
  const harmed = worldOn(world.disk.clone(), SMALL);
  for (const path of [...harmed.disk.files().keys()].filter(isIndex)) harm(harmed, path);
  return { harmed, log: harmed.open({ create: false }) };
}

/** All that is read of a log by steps of one batch. */
function readBy(from: Pick<PartitionLog, "logEndOffset" | "read" | "abortedTransactions">) {
  const { logEndOffset: endOffset } = from;
  const offsets = Array.from({ length: endOffset }, (_none, offset) => offset);
  return offsets.map((offset) => {
    const { batches, nextOffset } = from.read(offset, { bytesMax: 1, endOffset });
    return { batches, nextOffset, aborted: from.abortedTransactions(offset, nextOffset) };
  });
}

test.each(HARMS)(
  "a look at a log whose indexes are %s reads what a read does, and writes nothing, tells nothing and passes no fault point",
  async (_what, harm) => {
    const { harmed, log } = opened(harm);
    const events = harmed.trace.events.length;
    const passed = harmed.faults.countHits();
    const files = harmed.disk.files();
    const seen = readBy(log.looked);
    expect(harmed.disk.files()).toEqual(files);
    expect(harmed.trace.events.slice(events)).toEqual([]);
    expect([...passed]).toEqual([]);
    expect(seen).toEqual(readBy(log));
    expect(seen.at(-1)?.batches.length).toBeGreaterThan(0);
    log.abandon();
  },
);

test("what a look has not written the next read writes, as if nobody had looked", () => {
  const [one, other] = [opened(HARMS[1][1]), opened(HARMS[1][1])];
  readBy(one.log.looked);
  for (const { harmed, log } of [one, other]) {
    const passed = harmed.faults.countHits();
    readBy(log);
    expect(passed.get("log.index.before_write")).toBeGreaterThan(0);
    expect(passed.get("log.txn_index.before_write")).toBeGreaterThan(0);
    log.abandon();
  }
  expect(one.harmed.disk.files()).toEqual(other.harmed.disk.files());
  expect(one.harmed.trace.events).toEqual(other.harmed.trace.events);
});

test("what is left of a transaction whose beginning was deleted is seen without an index being made", () => {
  const { harmed, log } = opened(HARMS[1][1]);
  const files = harmed.disk.files();
  const passed = harmed.faults.countHits();
  log.hideBelow(log.logEndOffset - 1);
  expect(log.openTransactions).toMatchObject([{ producerId: 6, firstOffset: log.logEndOffset - 1 }]);
  expect(log.firstUnstableOffset(log.logEndOffset)).toBe(log.logEndOffset - 1);
  expect(harmed.disk.files()).toEqual(files);
  expect([...passed]).toEqual([]);
  log.abandon();
});
