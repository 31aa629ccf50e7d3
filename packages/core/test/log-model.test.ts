/** A log beside a plain list, through histories that chance has drawn. A failure names its seed; MINIKAFKA_SEED repeats it. */

import assert from "node:assert/strict";
import { readBatchHeader, splitFrames } from "@minikafka/record";
import { expect, test } from "vitest";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { IndexMemory } from "../src/log/index-memory.ts";
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
  readonly batches: ModelBatch[] = [];
  flushed = 0;
  leaderEpoch = 0;
  log: PartitionLog;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.world = newWorld({
      segmentBytes: 100 + this.random.below(1500),
      indexIntervalBytes: 1 + this.random.below(500),
      // From hardly one index to all of them.
      indexMemory: new IndexMemory(this.random.below(1500)),
    });
    this.log = this.world.open();
  }

  get end(): number {
    return this.batches.at(-1)?.nextOffset ?? 0;
  }

  async step(): Promise<void> {
    const choice = this.random.below(20);
    if (choice < 9) this.append();
    else if (choice < 14) this.read();
    else if (choice < 15) this.findTime();
    else if (choice < 17) await this.flush();
    else if (choice < 18) await this.reopen();
    else this.crash();
  }

  append(): void {
    const texts = Array.from({ length: 1 + this.random.below(4) }, () => "v".repeat(this.random.below(200)));
    const firstTimestampMs = this.random.below(1000);
    const frame = batch(texts, firstTimestampMs);
    if (this.random.below(6) === 0) this.leaderEpoch++;
    const appended = this.log.append(frame, this.leaderEpoch);
    assert.deepEqual(appended, { baseOffset: this.end, nextOffset: this.end + texts.length });
    this.batches.push({ ...appended, firstTimestampMs, frame });
  }

  read(): void {
    const offset = this.random.below(this.end + 1);
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
    const found = records.find((record) => record.timestampMs >= timestampMs && record.offset < endOffset);
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
    while (this.end > logEndOffset) this.batches.pop();
    this.check();
  }

  #dropIndexes(): void {
    for (const path of this.world.disk.files().keys())
      if (isIndex(path) && this.random.below(4) === 0) this.world.disk.remove(path);
  }

  /** The whole log, batch by batch. */
  check(): void {
    assert.equal(this.log.logEndOffset, this.end);
    const frames: Buffer[] = [];
    for (let offset = 0; offset < this.end; ) {
      const { batches, nextOffset } = this.log.read(offset, { bytesMax: 1 << 20, endOffset: this.end });
      frames.push(...splitFrames(batches));
      offset = nextOffset;
    }
    assert.deepEqual(
      frames,
      this.batches.map(({ frame }) => frame),
    );
    assert.ok(frames.every((frame, n) => readBatchHeader(frame).baseOffset === this.batches[n]?.baseOffset));
  }
}

test("a log does what a plain list does, through appends, reads, flushes, clean ends and crashes", async () => {
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
