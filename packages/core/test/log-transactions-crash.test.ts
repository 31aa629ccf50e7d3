/**
 * The world ends between any two changes of the disk while transactions are written, ended, cut, compacted and retained. What was
 * not synced is kept, lost, torn or scattered. Afterwards the log tells of its transactions what the batches tell that are left.
 */
import assert from "node:assert/strict";
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { keyed, request } from "./compaction-world.ts";
import { crashesOf, saying } from "./crash-instants.ts";
import { emptyDisk, type LogWorld, seedFromEnvironment, worldOn } from "./log-world.ts";
import {
  committedOf,
  firstUnstableOf,
  type ModelBatch,
  readCommitted,
  requireCleaned,
  transactionsOf,
} from "./transactions-model.ts";
import { endTransaction } from "./transactions-world.ts";

/** An instant at which the world may end, and what had been appended by then. */
interface Instant {
  readonly disk: MemoryDisk;
  readonly batches: readonly ModelBatch[];
  readonly flushed: number;
}

const OPTIONS = { compacts: true, deletes: true, segmentBytes: 250, minCleanableDirtyRatio: 0 };

/** A log that is used, and what its user knows. */
class Life {
  readonly world: LogWorld;
  readonly instants: Instant[] = [];
  batches: ModelBatch[] = [];
  log: PartitionLog;
  #sequence = 0;

  constructor(disk: MemoryDisk) {
    this.world = worldOn(disk, { ...OPTIONS, retentionMs: null });
    this.log = this.world.open();
    disk.beforeChange(() => this.note());
  }

  note(): void {
    const { flushedOffset: flushed } = this.log;
    this.instants.push({ disk: this.world.disk.clone(), batches: [...this.batches], flushed });
  }

  send(producerId: number, key: string, value = `${this.#sequence}`): void {
    const baseSequence = this.#sequence++;
    const isPlain = producerId === -1;
    const sender = isPlain ? {} : { producerId, producerEpoch: 0, baseSequence, transactional: true };
    const appended = this.log.append(keyed([[key, value]], 1000, sender), 0);
    const kind = isPlain ? "plain" : "data";
    this.batches.push({ kind, producerId, ...appended, records: [`${key}=${value}`] });
  }

  end(producerId: number, kind: "commit" | "abort"): void {
    const baseOffset = this.log.logEndOffset;
    endTransaction(this.log, producerId, kind);
    this.batches.push({ kind, producerId, baseOffset, nextOffset: baseOffset + 1, records: [] });
  }

  async cutTo(offset: number): Promise<void> {
    await this.log.truncateTo(offset);
    this.batches = this.batches.filter(({ nextOffset }) => nextOffset <= this.log.logEndOffset);
  }

  async reopen(): Promise<void> {
    await this.log.close();
    this.log = this.world.open({ create: false });
  }
}

/** Transactions over several segments, that end in other orders than they begin in. */
async function live(life: Life): Promise<void> {
  life.send(-1, "a");
  life.send(7, "a");
  life.send(8, "b");
  for (let n = 0; n < 3; n++) life.send(-1, `p${n}`);
  life.end(8, "abort");
  await life.log.flush();
  life.send(9, "c");
  life.send(7, "d");
  life.end(7, "abort");
  life.end(9, "commit");
  life.send(7, "e");
  await life.log.flush();
  life.send(8, "a", "cut off");
  life.end(8, "abort");
  await life.cutTo(life.log.logEndOffset - 1);
  await life.reopen();
  life.end(8, "commit");
  life.end(7, "commit");
  for (let n = 0; n < 4; n++) life.send(-1, "p0");
  await life.log.flush();
}

async function shorten(life: Life): Promise<void> {
  const { log } = life;
  const highWatermark = log.flushedOffset;
  await log.compact(request(log, { nowMs: 10_000, cleanEnd: highWatermark, chunkBytes: 200 }));
  life.send(7, "a");
  life.end(7, "abort");
  await log.flush();
  await log.compact(request(log, { nowMs: 1e9, chunkBytes: 200 }));
  log.configure({ ...life.world.config, retentionBytes: 400 });
  await log.applyRetention({ nowMs: 1e9, highWatermark });
  await log.deleteRecords(highWatermark);
  await life.reopen();
}

/** What `log` tells is what the batches tell that are left, and everything that was flushed is left. */
function requireSound(log: PartitionLog, { batches: all, flushed }: Instant): void {
  const batches = all.filter(({ nextOffset }) => nextOffset <= log.logEndOffset);
  assert.ok(log.logEndOffset >= flushed, `the log ends at ${log.logEndOffset}, ${flushed} was flushed`);
  const open = transactionsOf(batches).filter(({ lastOffset }) => lastOffset === null);
  const toldOpen = log.openTransactions.map(({ producerId, firstOffset }) => [producerId, firstOffset]);
  assert.deepEqual(
    toldOpen,
    open.map(({ producerId, firstOffset }) => [producerId, firstOffset]),
  );
  assert.equal(log.firstUnstableOffset(flushed), firstUnstableOf(batches, flushed));
  const { logStartOffset: fromOffset } = log;
  const endOffset = log.firstUnstableOffset(log.logEndOffset) ?? log.logEndOffset;
  const visible = committedOf(batches, { fromOffset, endOffset });
  requireCleaned(readCommitted(log, endOffset), visible);
}

test.each(["written and cut", "compacted and shortened"] as const)(
  "whatever instant the process or the power dies at while transactions are %s, the log tells of them what is left of them",
  async (story) => {
    const seed = seedFromEnvironment(1);
    const random = new SeededRandom(seed);
    const life = new Life(emptyDisk());
    await live(life);
    if (story === "compacted and shortened") {
      life.instants.length = 0;
      await shorten(life);
    }
    life.note();
    expect(life.instants.length).toBeGreaterThan(60);
    for (const [number, instant] of life.instants.entries()) {
      for (const crash of crashesOf(random)) {
        const disk = instant.disk.clone();
        disk.crash(crash);
        await saying(`${crash.mode} at instant ${number}, seed ${seed}`, async () => {
          const log = worldOn(disk, OPTIONS).open();
          requireSound(log, instant);
          const left = instant.batches.filter(({ nextOffset }) => nextOffset <= log.logEndOffset);
          await log.close();
          const again = worldOn(disk, OPTIONS).open({ create: false });
          requireSound(again, { ...instant, batches: left, flushed: again.logEndOffset });
          again.abandon();
        });
      }
    }
  },
  60_000,
);

test("any change of the disk may be refused, once, at any place: what the log tells is what it holds", async () => {
  const measured = new Life(emptyDisk());
  const before = measured.world.disk.changeCount;
  await live(measured);
  const changes = measured.world.disk.changeCount - before;
  expect(changes).toBeGreaterThan(40);
  let refused = 0;
  for (const code of ["ENOSPC", "EIO"]) {
    for (let nth = 1; nth <= changes; nth++) {
      const life = new Life(emptyDisk());
      life.world.disk.fail({ operation: "change", code, times: { nth } });
      try {
        await live(life);
      } catch (problem) {
        if (!(problem instanceof BrokerError)) throw problem;
        refused += 1;
      }
      life.log.abandon();
      const { batches } = life;
      life.world.disk.crash({ mode: "kept" });
      life.world.disk.stopFailing();
      const again = worldOn(life.world.disk, OPTIONS).open({ create: false });
      await saying(`${code} at change ${nth}`, async () =>
        requireSound(again, { disk: life.world.disk, batches, flushed: 0 }),
      );
      again.abandon();
    }
  }
  expect(refused).toBeGreaterThan(10);
});

test.each(["log.txn_index.before_write", "log.txn_index.after_write"] as const)(
  "a process that dies at %s has lost nothing of its transactions",
  async (point) => {
    const life = new Life(emptyDisk());
    const rule = life.world.faults.arm({ point, action: "crash" });
    await expect(live(life)).rejects.toThrow();
    rule.assertFired();
    life.note();
    const instant = life.instants.at(-1);
    if (instant === undefined) throw new Error("nothing was written");
    for (const mode of ["kept", "lost"] as const) {
      const disk = instant.disk.clone();
      disk.crash({ mode });
      requireSound(worldOn(disk, OPTIONS).open({ create: false }), instant);
    }
  },
);
