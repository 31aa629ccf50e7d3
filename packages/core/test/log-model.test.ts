/** A log beside a plain list, through histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it. */

import assert from "node:assert/strict";
import { readBatchHeader, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { batch, isIndex, type LogWorld, newWorld, seedFromEnvironment } from "./log-world.ts";

const HISTORIES = 200;
const STEPS = 40;

interface ModelBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly firstTimestampMs: number;
  /** The very bytes that were handed over, after the log has assigned them. */
  readonly frame: Buffer;
}

class History {
  readonly random: SeededRandom;
  readonly world: LogWorld;
  /** Those that may still be there, also below `start`. */
  batches: ModelBatch[] = [];
  start = 0;
  end = 0;
  flushed = 0;
  leaderEpoch = 0;
  log: PartitionLog;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.world = newWorld({
      segmentMs: this.random.below(2) === 0 ? 1_000_000 : 1 + this.random.below(1500),
      retentionMs: null,
      segmentBytes: 100 + this.random.below(1500),
      indexIntervalBytes: 1 + this.random.below(500),
      // From hardly one index to all of them.
      indexMemory: new IndexMemory(this.random.below(1500)),
    });
    this.log = this.world.open();
  }

  async step(): Promise<void> {
    const choice = this.random.below(26);
    if (choice < 11) this.append();
    else if (choice < 15) this.read();
    else if (choice < 16) this.findTime();
    else if (choice < 18) await this.flush();
    else if (choice < 19) await this.reopen();
    else if (choice < 21) this.crash();
    else if (choice < 22) this.log.roll();
    else if (choice < 23) await this.deleteRecords();
    else if (choice < 24) await this.applyRetention();
    else if (choice < 25) await this.truncate();
    else if (this.random.below(3) === 0) await this.restart();
  }

  append(): void {
    const texts = Array.from({ length: 1 + this.random.below(4) }, () => "v".repeat(this.random.below(200)));
    const firstTimestampMs = this.random.below(1000);
    const frame = batch(texts, firstTimestampMs);
    if (this.random.below(6) === 0) this.leaderEpoch++;
    const appended = this.log.append(frame, this.leaderEpoch);
    assert.deepEqual(appended, { baseOffset: this.end, nextOffset: this.end + texts.length });
    this.batches.push({ ...appended, firstTimestampMs, frame });
    this.end = appended.nextOffset;
  }

  async truncate(): Promise<void> {
    const offset = this.start + this.random.below(this.end - this.start + 3);
    await this.log.truncateTo(offset);
    const end = this.batches.find(({ nextOffset }) => nextOffset > offset)?.baseOffset ?? this.end;
    // With the batch that holds the start nothing is left, and the start stays.
    this.end = Math.max(end, this.start);
    this.batches = end < this.start ? [] : this.batches.filter(({ nextOffset }) => nextOffset <= end);
    this.flushed = Math.min(this.flushed, this.end);
    this.check();
  }

  async restart(): Promise<void> {
    const offset = this.random.below(this.end + 50);
    await this.log.restartAt(offset);
    this.batches = [];
    this.start = this.end = this.flushed = offset;
    this.check();
  }

  async deleteRecords(): Promise<void> {
    const offset = this.random.below(this.end + 1);
    const moves = offset > this.start;
    this.start = Math.max(this.start, offset);
    assert.equal(await this.log.deleteRecords(offset), this.start);
    this.#noteStart();
    if (!moves) return;
    for (const { nextOffset, active } of this.log.segments())
      assert.ok(active || nextOffset > this.start, `a segment ends at ${nextOffset}, below the log start`);
  }

  /** What goes is compared with its reasons in retention-plan.test.ts; here, that nothing goes without one. */
  async applyRetention(): Promise<void> {
    const before = this.log.segments();
    const nowMs = 500 + this.random.below(1500);
    const highWatermark = this.start + this.random.below(this.end - this.start + 1);
    const byTime = this.random.below(2) === 0;
    const retentionMs = byTime ? this.random.below(1000) : null;
    const retentionBytes = byTime ? null : this.random.below(4000);
    this.log.configure({ ...this.world.config, retentionMs, retentionBytes });
    const { logStartOffset, segments } = await this.log.applyRetention({ nowMs, highWatermark });
    this.log.configure(this.world.config);
    assert.ok(logStartOffset >= this.start && logStartOffset <= Math.max(highWatermark, this.start));
    if (logStartOffset > this.start) {
      const ends = before.map(({ nextOffset }) => nextOffset);
      assert.ok(ends.includes(logStartOffset), `the log begins at ${logStartOffset}, inside of a segment`);
      const gone = this.batches.filter(({ nextOffset }) => nextOffset <= logStartOffset);
      const latestMs = gone.map(({ firstTimestampMs, frame }) =>
        Math.max(firstTimestampMs, readBatchHeader(frame).maxTimestampMs),
      );
      if (retentionMs !== null) assert.ok(latestMs.every((latest) => nowMs - latest > retentionMs));
      const bytesOf = (all: readonly { sizeBytes: number }[]) =>
        all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (retentionBytes !== null) assert.ok(bytesOf(before) - bytesOf(segments) >= retentionBytes);
    }
    this.start = logStartOffset;
    this.#noteStart();
  }

  #noteStart(): void {
    const first = this.log.segments()[0]?.baseOffset ?? 0;
    this.batches = this.batches.filter(({ baseOffset }) => baseOffset >= first);
    this.flushed = Math.max(this.flushed, this.log.flushedOffset);
    this.check();
  }

  read(): void {
    const offset = this.start + this.random.below(this.end - this.start + 1);
    const endOffset = this.random.below(this.end + 2);
    const bytesMax = 1 + this.random.below(2000);
    const { batches, nextOffset } = this.log.read(offset, { bytesMax, endOffset });
    const expected = this.#expected(offset, endOffset, bytesMax);
    assert.deepEqual(batches, Buffer.concat(expected.map(({ frame }) => frame)));
    assert.equal(nextOffset, expected.at(-1)?.nextOffset ?? offset);
  }

  #expected(offset: number, endOffset: number, bytesMax: number): ModelBatch[] {
    if (offset >= Math.min(endOffset, this.end)) return [];
    const segment = this.log.segments().findLast(({ baseOffset }) => baseOffset <= offset);
    const expected: ModelBatch[] = [];
    let bytes = 0;
    for (const candidate of this.batches) {
      if (candidate.nextOffset <= offset) continue;
      bytes += candidate.frame.length;
      const isOver = bytes > bytesMax || candidate.baseOffset >= endOffset;
      if (expected.length > 0 && (isOver || candidate.baseOffset >= (segment?.nextOffset ?? 0))) break;
      expected.push(candidate);
    }
    return expected;
  }

  findTime(): void {
    const timestampMs = this.random.below(1100);
    const endOffset = this.random.below(this.end + 2);
    const records = this.batches.flatMap(({ baseOffset, nextOffset, firstTimestampMs }) =>
      Array.from({ length: nextOffset - baseOffset }, (_, n) => ({
        offset: baseOffset + n,
        timestampMs: firstTimestampMs + n,
      })),
    );
    const found = records.find(
      ({ timestampMs: at, offset }) => at >= timestampMs && offset >= this.start && offset < endOffset,
    );
    assert.deepEqual(this.log.offsetForTimestamp(timestampMs, endOffset), found ?? null);
  }

  async flush(): Promise<void> {
    await this.log.flush();
    this.flushed = this.end;
    assert.equal(this.log.flushedOffset, this.end);
  }

  async reopen(): Promise<void> {
    await this.log.close();
    this.flushed = this.end;
    this.#dropIndexes();
    this.log = this.world.open({ create: false });
    this.check();
  }

  crash(): void {
    this.log.abandon();
    const mode = (["kept", "lost", "torn", "scattered"] as const)[this.random.below(4)] ?? "lost";
    this.world.disk.crash({ mode, random: this.random } as Crash);
    this.#dropIndexes();
    this.log = this.world.open({ create: false });
    const { logEndOffset } = this.log;
    assert.ok(logEndOffset >= this.flushed, `${logEndOffset} are left, ${this.flushed} were flushed`);
    if (mode === "kept") assert.equal(logEndOffset, this.end);
    this.batches = this.batches.filter(({ nextOffset }) => nextOffset <= logEndOffset);
    this.end = logEndOffset;
    this.check();
  }

  #dropIndexes(): void {
    for (const path of this.world.disk.files().keys())
      if (isIndex(path) && this.random.below(4) === 0) this.world.disk.remove(path);
  }

  /** The whole log, batch by batch. */
  check(): void {
    assert.equal(this.log.logEndOffset, this.end);
    assert.equal(this.log.logStartOffset, this.start);
    assert.ok(this.log.flushedOffset >= this.start && this.log.flushedOffset <= this.end);
    const frames: Buffer[] = [];
    for (let offset = this.start; offset < this.end; ) {
      const { batches, nextOffset } = this.log.read(offset, { bytesMax: 1 << 20, endOffset: this.end });
      frames.push(...splitFrames(batches));
      offset = nextOffset;
    }
    const readable = this.batches.filter(({ nextOffset }) => nextOffset > this.start);
    assert.deepEqual(
      frames,
      readable.map(({ frame }) => frame),
    );
    assert.ok(frames.every((frame, n) => readBatchHeader(frame).baseOffset === readable[n]?.baseOffset));
    this.#checkEpochs(frames);
  }

  /** The history is that of the batches, but for an epoch that has none any more. */
  #checkEpochs(frames: readonly Buffer[]): void {
    const expected: { leaderEpoch: number; startOffset: number }[] = [];
    for (const { leaderEpoch, baseOffset } of frames.map((frame) => readBatchHeader(frame)))
      if (expected.at(-1)?.leaderEpoch !== leaderEpoch)
        expected.push({ leaderEpoch, startOffset: Math.max(baseOffset, this.start) });
    const known = this.log.leaderEpochs.filter(({ startOffset }) => startOffset < this.end);
    assert.deepEqual(known, expected);
  }
}

test("a log does what a plain list does, through appends, reads, flushes, cuts at both ends, clean ends and crashes", async () => {
  const first = seedFromEnvironment(1);
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const history = new History(seed);
    let step = 0;
    try {
      for (; step < STEPS; step++) await history.step();
      history.check();
      await history.reopen();
    } catch (problem) {
      throw new Error(`history of seed ${seed} at step ${step}: ${String(problem)}`, { cause: problem });
    }
    expect(history.world.failures).toEqual([]);
  }
}, 120_000);
