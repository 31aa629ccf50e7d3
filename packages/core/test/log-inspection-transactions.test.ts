/** What inspection tells of transactions: their markers' index, and what a snapshot knows of them. */
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { openEnvelope, sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import { AbortedIndex, type Finding, inspectPartition } from "../src/log/index.ts";
import {
  batch,
  FOLDER,
  flipped,
  type LogWorld,
  MANIFEST,
  newWorld,
  rewrite,
  segmentAt,
} from "./log-world.ts";
import { data, endTransaction, txnIndexAt, txnIndexesOn } from "./transactions-world.ts";

/** Two abort markers in the first segment, one in the active one, and a transaction that is open. */
async function closedLog(): Promise<LogWorld> {
  const world = newWorld({ segmentBytes: 600 });
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 8, "abort");
  endTransaction(log, 7, "abort");
  log.roll();
  log.append(batch(["plain"]), 0);
  log.append(data(9, ["c"]), 0);
  log.append(data(8, ["d"], { producerEpoch: 1 }), 0);
  endTransaction(log, 9, "abort");
  await log.close();
  return world;
}

function found<Kind extends Finding["kind"]>(
  disk: MemoryDisk,
  kind: Kind,
): Extract<Finding, { kind: Kind }>[] {
  return [...inspectPartition(disk, FOLDER)].filter(
    (finding): finding is Extract<Finding, { kind: Kind }> => finding.kind === kind,
  );
}

function positionsOf(disk: MemoryDisk): ReadonlyMap<number, number> {
  return new Map(found(disk, "batch").map(({ header, position }) => [header.baseOffset, position]));
}

test("the index of aborted transactions is told with its entries, of each segment that has some", async () => {
  const { disk } = await closedLog();
  const positions = positionsOf(disk);
  const at = (lastOffset: number) => positions.get(lastOffset);
  expect(found(disk, "aborted_index")).toEqual([
    {
      kind: "aborted_index",
      file: txnIndexAt(0),
      segmentBaseOffset: 0,
      entries: [
        { producerId: 8, firstOffset: 1, lastOffset: 2, position: at(2) },
        { producerId: 7, firstOffset: 0, lastOffset: 3, position: at(3) },
      ],
      problem: null,
    },
    {
      kind: "aborted_index",
      file: txnIndexAt(4),
      segmentBaseOffset: 4,
      entries: [{ producerId: 9, firstOffset: 5, lastOffset: 7, position: at(7) }],
      problem: null,
    },
  ]);
  expect(found(disk, "damage")).toEqual([]);
});

test("a snapshot is told with the transactions that are open, and with those that may not have ended for all", async () => {
  const { disk } = await closedLog();
  expect(found(disk, "snapshot").at(-1)).toMatchObject({
    transactions: {
      open: [{ producerId: 8, producerEpoch: 1, firstOffset: 6 }],
      ended: [
        { producerId: 8, firstOffset: 1, lastOffset: 2 },
        { producerId: 7, firstOffset: 0, lastOffset: 3 },
        { producerId: 9, firstOffset: 5, lastOffset: 7 },
      ],
    },
    problem: null,
  });
});

test("an index of aborted transactions that is missing or wrong is told, and is no damage", async () => {
  const { disk } = await closedLog();
  const sound = disk.clone();
  const problemOf = (change: (bytes: Buffer) => Buffer) => {
    const spoilt = sound.clone();
    rewrite(spoilt, txnIndexAt(0), change);
    expect(found(spoilt, "damage")).toEqual([]);
    return found(spoilt, "aborted_index")[0]?.problem;
  };
  expect(problemOf((bytes) => flipped(bytes, 25, 0))).toBe("its CRC is not that of its bytes");
  const foreign = new AbortedIndex();
  const position = positionsOf(sound).get(2) ?? 0;
  foreign.add({ producerId: 9, firstOffset: 1, lastOffset: 2, position });
  const coverage = { indexedBytes: 400, lastCrc: 5 };
  expect(problemOf(() => foreign.encode(0, coverage))).toBe(
    `its entry 2 at ${position} leads to no marker of that transaction`,
  );
  const [first, second] = found(sound, "aborted_index")[0]?.entries ?? [];
  const short = new AbortedIndex();
  if (first !== undefined) short.add(first);
  expect(problemOf(() => short.encode(0, coverage))).toBe("it has 1 of 2 abort markers");
  if (second !== undefined) short.add(second);
  expect(problemOf(() => short.encode(0, coverage))).toBe("the batch of its last entry is another one");
  disk.remove(txnIndexAt(0));
  expect(found(disk, "damage")).toEqual([]);
  expect(found(disk, "aborted_index")[0]).toMatchObject({ entries: [], problem: "it is missing" });
});

test("an index beside a segment that has no abort marker is told as one that is not used", async () => {
  const world = newWorld({ segmentBytes: 600 });
  const log = world.open();
  log.append(batch(["plain"]), 0);
  await log.close();
  const stray = (await closedLog()).disk.files().get(txnIndexAt(0)) ?? Buffer.alloc(0);
  expect(txnIndexesOn(world.disk)).toEqual([]);
  rewrite(world.disk, txnIndexAt(0), () => stray);
  expect(found(world.disk, "aborted_index")).toMatchObject([
    { problem: "no transaction is aborted in its segment" },
  ]);
  expect(found(world.disk, "damage")).toEqual([]);
  // Nobody is led astray by it.
  expect(world.open({ create: false }).abortedTransactions(0, 1)).toEqual([]);
});

test.each([
  ["more", 3, 0],
  ["fewer", 1, 0],
  ["others", 2, 1],
])("a manifest that says of %s abort markers than there are is damage", async (_what, count, firstOffset) => {
  const { disk } = await closedLog();
  rewrite(disk, MANIFEST, (bytes) => {
    const envelope = openEnvelope(bytes);
    if ("problem" in envelope) throw new Error(envelope.problem);
    const payload = envelope.payload as { sealed: { aborted: object }[] };
    for (const segment of payload.sealed) segment.aborted = { count, first_offset: firstOffset };
    return sealEnvelope(envelope.version, payload);
  });
  expect(found(disk, "damage")).toMatchObject([
    { file: segmentAt(0), position: null, problem: expect.stringContaining("it has 2 abort markers") },
  ]);
});

test("a segment whose marker is damaged is told as damaged, once", async () => {
  const { disk } = await closedLog();
  const position = positionsOf(disk).get(2) ?? 0;
  rewrite(disk, segmentAt(0), (bytes) => flipped(bytes, position + 70, 0));
  expect(found(disk, "damage")).toMatchObject([{ file: segmentAt(0), position }]);
});

test("a log that is open, or was killed, is told without a flaw", async () => {
  const world = newWorld({ segmentBytes: 600 });
  const log = world.open();
  log.append(data(7, ["a"]), 0);
  endTransaction(log, 7, "abort");
  await log.flush();
  log.append(data(8, ["b"]), 0);
  endTransaction(log, 8, "abort");
  for (const isKilled of [false, true]) {
    if (isKilled) log.abandon();
    expect(found(world.disk, "damage")).toEqual([]);
    expect(found(world.disk, "aborted_index").filter(({ problem }) => problem !== null)).toEqual([]);
  }
});
