/**
 * What a log tells of transactions beside what a plain list tells, through histories that chance has drawn: appends, ends, rolls,
 * flushes, crashes, cuts at both ends, compaction. A failure names its seed; MINIKAFKA_SEED repeats it.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { COMPACTED_CONFIG, compactedWorld, keyed, request } from "./compaction-world.ts";
import { flipped, type LogWorld, rewrite, seedFromEnvironment } from "./log-world.ts";
import { snapshotsOn } from "./producers-world.ts";
import {
  committedOf,
  firstUnstableOf,
  left,
  type ModelBatch,
  readCommitted,
  requireCleaned,
  transactionsOf,
} from "./transactions-model.ts";
import { marker, txnIndexesOn } from "./transactions-world.ts";

const HISTORIES = 120;
const STEPS = 100;
const PRODUCERS = 3;

/** What chance made happen, so that a test can see that nothing was tested in vain. */
const seen = {
  opened: 0,
  aborted: 0,
  cutIntoTransaction: 0,
  crashed: 0,
  spoilt: 0,
  rebuilt: 0,
  compacted: 0,
  dropped: 0,
  markersGone: 0,
  retained: 0,
  deleted: 0,
  deletedIntoTransaction: 0,
  forgotten: 0,
  unstable: 0,
};

class History {
  readonly random: SeededRandom;
  readonly world: LogWorld;
  batches: ModelBatch[] = [];
  /** Everything below is flushed, and is never cut. */
  highWatermark = 0;
  nowMs = 1000;
  isCompacted = false;
  /** Whether it loses its beginning more often than it is compacted. */
  readonly isShort: boolean;
  readonly epochs = new Map<number, { epoch: number; sequence: number }>();
  log: PartitionLog;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.isShort = this.random.below(3) === 0;
    this.world = compactedWorld({
      deletes: true,
      segmentBytes: 200 + this.random.below(900),
      indexMemory: new IndexMemory(this.random.below(1500)),
    });
    this.log = this.world.open();
  }

  get end(): number {
    return this.batches.at(-1)?.nextOffset ?? 0;
  }

  async step(): Promise<void> {
    const choice = this.random.below(43);
    this.nowMs += this.random.below(60);
    if (choice < 11) this.appendData();
    else if (choice < 14) this.appendPlain();
    else if (choice < 24) this.endTransaction();
    else if (choice < 25) this.log.roll();
    else if (choice < 28) await this.log.flush();
    else if (choice < 31) this.#moveHighWatermark();
    else if (choice < 33) await this.reopen();
    else if (choice < 35) await this.truncate();
    else if (choice < 40) await (this.isShort ? this.applyRetention() : this.compact());
    else if (choice < 41) await (this.isShort ? this.compact() : this.applyRetention());
    else if (choice < 42) await this.deleteRecords();
    else seen.forgotten += this.log.forgetIdleProducers(Number.MAX_SAFE_INTEGER).length;
    this.#requireEqual();
  }

  appendPlain(): void {
    const pairs = [this.#pair()];
    this.#append(keyed(pairs, this.nowMs), "plain", -1, pairs);
  }

  appendData(): void {
    const producerId = this.random.below(PRODUCERS);
    const { epoch: producerEpoch, sequence: baseSequence } = this.#identity(producerId);
    const pairs = Array.from({ length: 1 + this.random.below(3) }, () => this.#pair());
    if (this.log.openTransaction(producerId) === undefined) seen.opened += 1;
    const sender = { producerId, producerEpoch, baseSequence, transactional: true };
    this.#append(keyed(pairs, this.nowMs, sender), "data", producerId, pairs);
    this.epochs.set(producerId, { epoch: producerEpoch, sequence: baseSequence + pairs.length });
  }

  endTransaction(): void {
    const open = this.log.openTransactions[this.random.below(PRODUCERS)];
    if (open === undefined) return;
    const { producerId, producerEpoch, firstOffset } = open;
    const kind = this.random.below(2) === 0 ? "abort" : "commit";
    if (kind === "abort") seen.aborted += 1;
    const raised = producerEpoch + 1;
    this.#append(marker(producerId, kind, { firstOffset, producerEpoch: raised }), kind, producerId);
    const batch = this.batches.pop();
    if (batch !== undefined) this.batches.push({ ...batch, began: firstOffset });
    this.epochs.set(producerId, { epoch: raised, sequence: 0 });
  }

  #identity(producerId: number): { epoch: number; sequence: number } {
    return this.epochs.get(producerId) ?? { epoch: 0, sequence: 0 };
  }

  #pair(): readonly [string | null, string] {
    const key = this.random.below(5) === 0 ? null : `k${this.random.below(8)}`;
    return [key, `${this.end}-${this.random.below(1000)}`.padEnd(this.random.below(60), "_")];
  }

  #append(
    frame: Buffer,
    kind: ModelBatch["kind"],
    producerId: number,
    pairs: readonly (readonly [string | null, string])[] = [],
  ): void {
    const appended = this.log.append(frame, 0);
    const records = pairs.map(([key, value]) => `${key}=${value}`);
    this.batches.push({ kind, producerId, ...appended, records });
  }

  #moveHighWatermark(): void {
    const { flushedOffset } = this.log;
    const ends = this.batches.map(({ nextOffset }) => nextOffset);
    const reachable = ends.filter((end) => end >= this.highWatermark && end <= flushedOffset);
    const place = this.random.below(2) === 0 ? reachable.length - 1 : this.random.below(reachable.length + 1);
    this.highWatermark = reachable[place] ?? this.highWatermark;
    if (this.random.below(2) === 0) this.log.followHighWatermark(this.highWatermark);
  }

  async reopen(): Promise<void> {
    const { logStartOffset } = this.log;
    const choice = this.random.below(3);
    if (choice === 0) await this.log.close();
    else this.log.abandon();
    if (choice === 1) {
      const mode = (["lost", "torn", "scattered"] as const)[this.random.below(3)] ?? "lost";
      this.world.disk.crash({ mode, random: this.random } as Crash);
      seen.crashed += 1;
    }
    this.#spoil();
    this.log = this.world.open({ create: false });
    // Somebody else remembers what was deleted.
    this.log.hideBelow(logStartOffset);
    this.#cutModel();
  }

  /** What can be made anew may be lost. */
  #spoil(): void {
    const { disk } = this.world;
    const spoilt = (bytes: Buffer) =>
      bytes.length === 0 ? bytes : flipped(bytes, this.random.below(bytes.length), 1);
    for (const path of [...snapshotsOn(disk), ...txnIndexesOn(disk)]) {
      const fate = this.random.below(6);
      if (fate === 0) disk.remove(path);
      if (fate === 1) rewrite(disk, path, spoilt);
      if (fate < 2) seen.spoilt += 1;
    }
  }

  async truncate(): Promise<void> {
    // An unclean promotion cuts what was visible; no history that has lost its beginning tells of what is left then.
    const isUnclean = !this.isCompacted && this.log.logStartOffset === 0 && this.random.below(3) === 0;
    const from = isUnclean ? 0 : Math.max(this.highWatermark, this.log.logStartOffset);
    const offset = from + this.random.below(this.end - from + 1);
    const openBefore = this.log.openTransactions.length;
    await this.log.truncateTo(offset);
    this.highWatermark = Math.min(this.highWatermark, this.log.logEndOffset);
    this.#cutModel();
    if (this.log.openTransactions.length > openBefore) seen.cutIntoTransaction += 1;
  }

  #cutModel(): void {
    this.batches = this.batches.filter(({ nextOffset }) => nextOffset <= this.log.logEndOffset);
    assert.equal(this.end, this.log.logEndOffset);
    assert.ok(this.end >= this.highWatermark);
    // A producer goes on where the log left it.
    for (const { producerId, producerEpoch, batches } of this.log.producers()) {
      const last = batches.at(-1);
      const sequence = last === undefined ? 0 : last.baseSequence + last.nextOffset - last.baseOffset;
      this.epochs.set(producerId, { epoch: producerEpoch, sequence });
    }
  }

  async compact(): Promise<void> {
    this.log.configure({ ...COMPACTED_CONFIG, segmentBytes: 200 + this.random.below(2500) });
    if (this.random.below(2) === 0) {
      // All that can be cleaned, and every grace is over.
      this.log.roll();
      await this.log.flush();
      this.highWatermark = this.end;
      this.nowMs += 200;
    }
    const bufferBytes = this.random.below(3) === 0 ? 32 * (1 + this.random.below(6)) : 1 << 16;
    const pause = async () => {
      const choice = this.random.below(30);
      if (choice < 3) this.appendData();
      else if (choice < 5) this.endTransaction();
      else if (choice < 7) await this.log.flush();
    };
    const { nowMs, highWatermark: cleanEnd } = this;
    const result = await this.log.compact(
      request(this.log, { nowMs, cleanEnd, bufferBytes, pause, chunkBytes: 200 }),
    );
    if (result === null || "gaveWayTo" in result) return;
    this.isCompacted = true;
    seen.compacted += 1;
    seen.dropped += result.recordsDropped;
  }

  async applyRetention(): Promise<void> {
    const before = this.log.logStartOffset;
    const retentionBytes = this.random.below(this.isShort ? 3000 : 9000);
    this.log.configure({ ...this.world.config, retentionBytes, retentionMs: null });
    const { highWatermark, nowMs } = this;
    const { logStartOffset } = await this.log.applyRetention({ nowMs, highWatermark });
    const unstable = firstUnstableOf(left(this.batches, before), highWatermark);
    assert.ok(logStartOffset <= Math.max(before, Math.min(highWatermark, unstable ?? highWatermark)));
    if (logStartOffset > before) seen.retained += 1;
  }

  async deleteRecords(): Promise<void> {
    const { logStartOffset } = this.log;
    const offset = logStartOffset + Math.min(this.random.below(20), this.highWatermark - logStartOffset);
    if (offset > logStartOffset) seen.deleted += 1;
    const unstable = firstUnstableOf(left(this.batches, logStartOffset), this.highWatermark);
    if (offset > Math.max(logStartOffset, unstable ?? offset)) seen.deletedIntoTransaction += 1;
    if (this.random.below(3) === 0) this.log.hideBelow(offset);
    else await this.log.deleteRecords(offset);
  }

  #requireEqual(): void {
    const { log, highWatermark } = this;
    const { logStartOffset } = log;
    const batches = left(this.batches, logStartOffset);
    const transactions = transactionsOf(batches);
    const open = transactions.filter(({ lastOffset }) => lastOffset === null);
    assert.deepEqual(
      log.openTransactions.map(({ producerId, firstOffset }) => ({ producerId, firstOffset })),
      open.map(({ producerId, firstOffset }) => ({ producerId, firstOffset })),
    );
    for (const mark of [highWatermark, highWatermark + this.random.below(this.end - highWatermark + 1)]) {
      const unstable = firstUnstableOf(batches, mark);
      if (unstable !== null) seen.unstable += 1;
      const expected = unstable === null ? null : Math.max(unstable, logStartOffset);
      assert.equal(log.firstUnstableOffset(mark), expected, `unstable at ${mark}`);
    }
    this.#requireAborted();
    this.#requireCommitted();
  }

  /** A marker is gone only with the last record of its transaction. */
  #requireAborted(): void {
    const { log } = this;
    const fromOffset = log.logStartOffset + this.random.below(this.end - log.logStartOffset + 1);
    const endOffset = fromOffset + this.random.below(200);
    const expected = transactionsOf(this.batches).flatMap(
      ({ producerId, firstOffset, lastOffset, isAborted }) => {
        const overlaps = lastOffset !== null && lastOffset >= fromOffset && firstOffset < endOffset;
        return isAborted && overlaps ? [{ producerId, firstOffset, lastOffset }] : [];
      },
    );
    const told = log.abortedTransactions(fromOffset, endOffset);
    if (!this.isCompacted) assert.deepEqual(told, expected);
    seen.markersGone += expected.length - told.length;
    const known = new Set(expected.map((transaction) => JSON.stringify(transaction)));
    for (const { producerId, firstOffset, lastOffset } of told)
      assert.ok(known.has(JSON.stringify({ producerId, firstOffset, lastOffset })));
  }

  /** Below the last stable offset nothing aborted is seen, and nothing committed is missing but for what is superseded. */
  #requireCommitted(): void {
    const { log, highWatermark } = this;
    const endOffset = Math.min(highWatermark, log.firstUnstableOffset(highWatermark) ?? highWatermark);
    const { logStartOffset: fromOffset } = log;
    const visible = committedOf(this.batches, { fromOffset, endOffset });
    const read = readCommitted(log, endOffset, 1 + this.random.below(2000));
    if (this.isCompacted) requireCleaned(read, visible);
    else assert.deepEqual(read, visible);
  }
}

test("a log tells of its transactions what a plain list tells, through crashes, cuts and compactions", async () => {
  const first = seedFromEnvironment(1);
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const history = new History(seed);
    try {
      for (let step = 0; step < STEPS; step++) await history.step();
    } catch (problem) {
      const { stack } = problem instanceof Error ? problem : new Error(String(problem));
      throw new Error(`seed ${seed}: ${stack}`, { cause: problem });
    }
    seen.rebuilt += history.world.trace
      .of("index_rebuilt")
      .filter(({ path }) => path.endsWith(".txnindex")).length;
    history.log.abandon();
  }
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
}, 120_000);
