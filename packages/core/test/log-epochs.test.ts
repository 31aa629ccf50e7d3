/** Who wrote which part of a log is known while it is written, after a clean end, and after a crash. */
import { assignBatch } from "@minikafka/record";
import { describe, expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { batch, flipped, MANIFEST, newWorld, readAll, refusal, rewrite } from "./log-world.ts";

function appendUnder(log: PartitionLog, leaderEpoch: number, count: number): void {
  for (let n = 0; n < count; n++) log.append(batch([`${leaderEpoch}.${n}`]), leaderEpoch);
}

/** A batch as a leader's log has it. */
function led(text: string, baseOffset: number, leaderEpoch: number): Buffer {
  const frame = batch([text]);
  assignBatch(frame, { baseOffset, leaderEpoch });
  return frame;
}

const HISTORY = [
  { leaderEpoch: 1, startOffset: 0 },
  { leaderEpoch: 4, startOffset: 9 },
  { leaderEpoch: 5, startOffset: 20 },
];

function appendHistory(log: PartitionLog): void {
  appendUnder(log, 1, 9);
  appendUnder(log, 4, 11);
  appendUnder(log, 5, 4);
}

describe("the epochs of a log", () => {
  test("are those of its batches, and tell where each ends", () => {
    const log = newWorld().open();
    appendHistory(log);
    expect(log.leaderEpochs).toEqual(HISTORY);
    expect(log.endOfEpoch(1)).toEqual({ leaderEpoch: 1, endOffset: 9 });
    expect(log.endOfEpoch(3)).toEqual({ leaderEpoch: 1, endOffset: 9 });
    expect(log.endOfEpoch(5)).toEqual({ leaderEpoch: 5, endOffset: 24 });
    expect(log.endOfEpoch(6)).toBeNull();
  });

  test("are there again after a clean end, of which nothing is read", async () => {
    const { open, trace } = newWorld();
    const log = open();
    appendHistory(log);
    await log.close();
    expect(open({ create: false }).leaderEpochs).toEqual(HISTORY);
    expect(trace.of("recovered")).toEqual([]);
  });

  test("are told again by the batches behind the recovery point after a crash", async () => {
    for (const flushedBefore of [0, 5, 12, 24]) {
      const { open, disk } = newWorld();
      const log = open();
      appendUnder(log, 1, 9);
      if (flushedBefore === 5) await log.flush();
      appendUnder(log, 4, 11);
      if (flushedBefore === 12) await log.flush();
      appendUnder(log, 5, 4);
      if (flushedBefore === 24) await log.flush();
      log.abandon();
      disk.crash({ mode: "kept" });
      expect(open({ create: false }).leaderEpochs).toEqual(HISTORY);
    }
  });

  test("are cut with a tail that a crash took", async () => {
    const { open, disk } = newWorld();
    const log = open();
    appendUnder(log, 1, 9);
    await log.flush();
    appendUnder(log, 4, 3);
    log.abandon();
    disk.crash({ mode: "lost" });
    expect(open({ create: false }).leaderEpochs).toEqual(HISTORY.slice(0, 1));
  });

  test("never fall: a batch of an older leader is refused, and nothing is appended", () => {
    const log = newWorld().open();
    appendUnder(log, 4, 2);
    const { code, details } = refusal(() => log.append(batch(["late"]), 3));
    expect(code).toBe("FENCED_LEADER_EPOCH");
    expect(details).toEqual({ requested: 3, leader_epoch: 4 });
    expect(readAll(log)).toEqual(["4.0", "4.1"]);
  });

  test("show a leader that has begun and not yet written, also after a clean end", async () => {
    const { open } = newWorld();
    const log = open();
    appendUnder(log, 1, 3);
    log.beginEpoch(2);
    const begun = [HISTORY[0], { leaderEpoch: 2, startOffset: 3 }];
    expect(log.leaderEpochs).toEqual(begun);
    expect(log.endOfEpoch(1)).toEqual({ leaderEpoch: 1, endOffset: 3 });
    await log.close();
    const again = open({ create: false });
    expect(again.leaderEpochs).toEqual(begun);
    again.beginEpoch(7);
    expect(again.leaderEpochs).toEqual([HISTORY[0], { leaderEpoch: 7, startOffset: 3 }]);
    expect(refusal(() => again.beginEpoch(6)).code).toBe("FENCED_LEADER_EPOCH");
  });

  test("of a manifest of version 1 are epoch 0 alone, and the next manifest says so", async () => {
    const { open, disk } = newWorld();
    const log = open();
    appendUnder(log, 0, 24);
    await log.close();
    toVersion1(disk);
    const again = open({ create: false });
    expect(again.leaderEpochs).toEqual([{ leaderEpoch: 0, startOffset: 0 }]);
    again.append(batch(["new"]), 6);
    await again.close();
    expect(disk.files().get(MANIFEST)?.toString()).toContain('"version":3');
    const entries = [0, 24].map((startOffset, n) => ({ leaderEpoch: 6 * n, startOffset }));
    expect(open({ create: false }).leaderEpochs).toEqual(entries);
  });
});

/** As the first program wrote it. */
function toVersion1(disk: MemoryDisk): void {
  rewrite(disk, MANIFEST, (bytes) => {
    const { payload } = JSON.parse(bytes.toString()) as { payload: Record<string, unknown> };
    const { obsolete: _, leader_epochs: __, ...old } = payload;
    return sealEnvelope(1, old);
  });
}

describe("a follower", () => {
  test("writes its leader's batches as they are, whatever their number, and rolls between them", async () => {
    const leader = newWorld().open();
    appendHistory(leader);
    const { open, trace } = newWorld({ segmentBytes: 350 });
    const follower = open();
    for (let next = 0; next < leader.logEndOffset; ) {
      const { batches } = leader.read(next, { bytesMax: 700, endOffset: leader.logEndOffset });
      const appended = follower.appendAsFollower(batches);
      expect(appended.baseOffset).toBe(next);
      expect(follower.logEndOffset).toBe(appended.nextOffset);
      next = appended.nextOffset;
    }
    expect(bytesOf(follower)).toEqual(bytesOf(leader));
    expect(follower.leaderEpochs).toEqual(HISTORY);
    expect(trace.of("rolled").length).toBeGreaterThan(3);
    expect(follower.segments().every(({ sizeBytes }) => sizeBytes <= 350)).toBe(true);
    expect(trace.of("appended")).toHaveLength(24);
    await follower.close();
    expect(bytesOf(open({ create: false }))).toEqual(bytesOf(leader));
  });

  test("takes nothing of what holds a damaged, a misplaced or a fenced batch", () => {
    const log = newWorld().open();
    appendUnder(log, 4, 2);
    const good = led("good", 2, 4);
    const refused = [
      [flipped(good, 70, 3), "CORRUPT_BATCH"],
      [good.subarray(0, 50), "CORRUPT_BATCH"],
      [Buffer.concat([good, Buffer.alloc(70)]), "CORRUPT_BATCH"],
      [batch(["unassigned"]), "OFFSET_OUT_OF_RANGE"],
      [led("behind a hole", 3, 4), "OFFSET_OUT_OF_RANGE"],
      [Buffer.concat([good, led("again", 2, 4)]), "OFFSET_OUT_OF_RANGE"],
      [Buffer.concat([good, led("older", 3, 3)]), "FENCED_LEADER_EPOCH"],
    ] as const;
    for (const [frames, code] of refused) {
      expect(refusal(() => log.appendAsFollower(frames)).code).toBe(code);
      expect(readAll(log)).toEqual(["4.0", "4.1"]);
    }
    log.appendAsFollower(good);
    expect(log.appendAsFollower(Buffer.alloc(0))).toEqual({ baseOffset: 3, nextOffset: 3 });
    expect(readAll(log)).toEqual(["4.0", "4.1", "good"]);
  });

  test("that led and wrote nothing has its leader's epochs, also when a crash brings the manifest of that time back", async () => {
    const { disk, open } = newWorld();
    const leading = open();
    appendUnder(leading, 1, 9);
    leading.beginEpoch(2);
    await leading.close();
    const log = open({ create: false });
    log.endEpoch();
    log.appendAsFollower(led("1.9", 9, 1));
    log.abandon();
    disk.crash({ mode: "kept" });
    for (let restart = 0; restart < 2; restart++) {
      const again = open({ create: false });
      expect(again.leaderEpochs).toEqual(HISTORY.slice(0, 1));
      expect(readAll(again)).toHaveLength(10);
      await again.close();
    }
  });

  test("ends behind the last batch that the disk took, and goes on from there", () => {
    const { disk, open } = newWorld({ segmentBytes: 250 });
    const log = open();
    const frames = Array.from({ length: 6 }, (_, n) => led(`${n}`.padEnd(20, "."), n, 0));
    disk.fail({ operation: "write", code: "ENOSPC", times: { nth: 2 } });
    expect(refusal(() => log.appendAsFollower(Buffer.concat(frames))).code).toBe("STORAGE_ERROR");
    const { logEndOffset } = log;
    expect(logEndOffset).toBeGreaterThan(0);
    expect(logEndOffset).toBeLessThan(6);
    log.appendAsFollower(Buffer.concat(frames.slice(logEndOffset)));
    log.abandon();
    disk.crash({ mode: "kept" });
    expect(readAll(open({ create: false }))).toHaveLength(6);
  });
});

function bytesOf(log: PartitionLog): Buffer {
  const parts: Buffer[] = [];
  for (let next = log.logStartOffset; next < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    parts.push(batches);
    next = nextOffset;
  }
  return Buffer.concat(parts);
}
