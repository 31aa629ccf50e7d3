/**
 * A log that is compacted again and again beside a plain list, through histories that chance has drawn. A failure names its
 * seed; MINIKAFKA_SEED repeats it.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { SeededRandom } from "../src/env/random.ts";
import type { CompactionResult } from "../src/log/compaction/compaction-request.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { COMPACTED_CONFIG, compactedWorld, type KeyValue, keyed, left, request } from "./compaction-world.ts";
import { type LogWorld, seedFromEnvironment } from "./log-world.ts";

const HISTORIES = 150;
const STEPS = 40;

interface ModelRecord {
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly batch: ModelBatch;
}

interface ModelBatch {
  readonly nextOffset: number;
  /** When its tombstones may go, once a pass has covered it. */
  horizonMs: number | null;
}

/** What chance made happen, so that a test can see that nothing was tested in vain. */
const seen = {
  passes: 0,
  partial: 0,
  dropped: 0,
  tombstones: 0,
  merged: 0,
  reopened: 0,
  cut: 0,
  overtaken: 0,
  deleted: 0,
};

class History {
  readonly random: SeededRandom;
  readonly world: LogWorld;
  /** What is to be left. */
  records: ModelRecord[] = [];
  /** Everything that was ever appended, by key: what a reader that builds a table of the log ends with. */
  table = new Map<string, string>();
  end = 0;
  nowMs = 1000;
  /** The highest that a pass was given, and where the last one came to. */
  cleanEnd = 0;
  covered = 0;
  log: PartitionLog;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.world = compactedWorld({ segmentBytes: 200 + this.random.below(800) });
    this.log = this.world.open();
  }

  async step(): Promise<void> {
    const choice = this.random.below(20);
    this.nowMs += this.random.below(60);
    if (choice < 12) this.append();
    else if (choice < 14) await this.log.flush();
    else if (choice < 15) await (this.random.below(2) === 0 ? this.reopen() : this.shorten());
    else await this.compact();
    this.#requireEqual();
  }

  append(): void {
    const pairs = Array.from({ length: 1 + this.random.below(4) }, () => this.#pair());
    const batch: ModelBatch = { nextOffset: this.end + pairs.length, horizonMs: null };
    const { baseOffset } = this.log.append(keyed(pairs), 0);
    assert.equal(baseOffset, this.end);
    for (const [key, value] of pairs) {
      this.records.push({ offset: this.end, key, value, batch });
      this.end += 1;
      if (key === null) continue;
      if (value === null) this.table.delete(key);
      else this.table.set(key, value);
    }
  }

  #pair(): KeyValue {
    const key = this.random.below(8) === 0 ? null : `k${this.random.below(12)}`;
    const isTombstone = key !== null && this.random.below(5) === 0;
    return [
      key,
      isTombstone ? null : `${this.end}-${this.random.below(1000)}`.padEnd(this.random.below(90), "_"),
    ];
  }

  async compact(): Promise<void> {
    if (this.random.below(3) === 0) {
      const segmentBytes = 200 + this.random.below(2500);
      this.log.configure({ ...COMPACTED_CONFIG, segmentBytes });
    }
    const segments = this.log.segments().length;
    const cleanEnd = this.random.below(2) === 0 ? this.end : this.random.below(this.end + 1);
    const bufferBytes = this.random.below(3) === 0 ? 32 * (1 + this.random.below(6)) : 1 << 16;
    const pause = async () => {
      const choice = this.random.below(60);
      if (choice < 8) this.append();
      else if (choice < 16) await this.log.flush();
      else if (choice < 18) await this.shorten();
    };
    const chunkBytes = 100 + this.random.below(1000);
    const result = await this.log.compact(
      request(this.log, { nowMs: this.nowMs, cleanEnd, bufferBytes, pause, chunkBytes }),
    );
    const { events } = this.world.trace;
    if (events.some(({ kind }) => kind === "compaction_abandoned")) seen.overtaken += 1;
    this.world.trace.clear();
    if (result === null || "gaveWayTo" in result) return;
    this.#apply(result, cleanEnd);
    seen.passes += 1;
    if (!result.isComplete) seen.partial += 1;
    if (this.log.segments().length < segments) seen.merged += 1;
    seen.dropped += result.recordsDropped;
    seen.tombstones += result.tombstonesDropped;
  }

  /** What a pass that covered everything below `covered` leaves. */
  #apply({ firstDirtyOffset: covered }: CompactionResult, cleanEnd: number): void {
    this.cleanEnd = Math.max(this.cleanEnd, cleanEnd);
    assert.ok(
      covered <= this.cleanEnd,
      `a pass came to ${covered}, the clean point was at most ${this.cleanEnd}`,
    );
    assert.ok(covered >= this.covered, `a pass came to ${covered}, an earlier one to ${this.covered}`);
    this.covered = covered;
    const latest = new Map<string, number>();
    for (const { key, offset } of this.records) if (key !== null && offset < covered) latest.set(key, offset);
    const stays = ({ offset, key, value, batch }: ModelRecord) => {
      if (offset >= covered || key === null) return true;
      if (latest.get(key) !== offset) return false;
      return value !== null || batch.horizonMs === null || this.nowMs < batch.horizonMs;
    };
    this.records = this.records.filter(stays);
    for (const { offset, value, key, batch } of this.records) {
      const isCleaned = value === null && key !== null && offset < covered && batch.nextOffset <= covered;
      if (isCleaned) batch.horizonMs ??= this.nowMs + COMPACTED_CONFIG.deleteRetentionMs;
    }
  }

  async shorten(): Promise<void> {
    if (this.random.below(2) === 0) await this.truncate();
    else await this.deleteRecords();
  }

  async deleteRecords(): Promise<void> {
    const offset = this.log.logStartOffset + this.random.below(20);
    if (offset > this.end) return;
    await this.log.deleteRecords(offset);
    this.records = this.records.filter((record) => record.offset >= offset);
    this.table = tableOf(this.records);
    seen.deleted += 1;
  }

  /** What is cut off may have superseded records that are gone: a reader's table is then of what is left. */
  async truncate(): Promise<void> {
    const offset = Math.max(this.log.logStartOffset, this.end - this.random.below(30));
    await this.log.truncateTo(offset);
    this.end = this.log.logEndOffset;
    assert.ok(this.end <= offset);
    this.records = this.records.filter((record) => record.offset < this.end);
    this.table = tableOf(this.records);
    this.covered = 0;
    seen.cut += 1;
  }

  async reopen(): Promise<void> {
    if (this.random.below(2) === 0) await this.log.close();
    else {
      await this.log.flush();
      this.log.abandon();
      this.world.disk.crash({ mode: "lost" });
    }
    this.log = this.world.open({ create: false });
    seen.reopened += 1;
  }

  #requireEqual(): void {
    const records = left(this.log, 1 + this.random.below(3000));
    assert.deepEqual(
      records,
      this.records.map(({ offset, key, value }) => `${offset} ${key}=${value}`),
    );
    assert.equal(this.log.logEndOffset, this.end);
    assert.deepEqual(tableOf(this.records), new Map([...this.table].sort()));
  }
}

/** The latest value of each key, without those that were deleted. */
function tableOf(records: readonly ModelRecord[]): Map<string, string> {
  const table = new Map<string, string>();
  for (const { key, value } of records) {
    if (key === null) continue;
    if (value === null) table.delete(key);
    else table.set(key, value);
  }
  return new Map([...table].sort());
}

test("a compacted log holds what a plain list says, through many passes, appends and restarts", async () => {
  const first = seedFromEnvironment(1);
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const history = new History(seed);
    try {
      for (let step = 0; step < STEPS; step++) await history.step();
    } catch (problem) {
      throw new Error(`seed ${seed}: ${problem instanceof Error ? problem.message : String(problem)}`, {
        cause: problem,
      });
    }
    history.log.abandon();
  }
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(20);
}, 120_000);
