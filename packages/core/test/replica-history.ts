/** A replicated partition through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import { openMetadataFile } from "../src/cluster/metadata-file.ts";
import type { RawTopicConfig } from "../src/cluster/topic-config.ts";
import { BrokerError } from "../src/errors.ts";
import type { Acks } from "../src/replica/acknowledgement.ts";
import { stateProblem } from "../src/replica/partition-state.ts";
import { FOLDER, openCluster } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { type HeldRecord, heldBy, heldIn } from "./held-batches.ts";
import { assertReplicasAgree, assertSame } from "./history-agreement.ts";
import { batchFrom } from "./history-batch.ts";
import { HistoryCopies } from "./history-copies.ts";
import { HistoryProducers, type SequencedBatch } from "./history-producers.ts";
import { checkReaders } from "./history-readers.ts";
import { HistoryTransactions } from "./history-transactions.ts";
import { ORDERS, settle } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const COMPACTED = {
  cleanup_policy: "compact,delete",
  min_cleanable_dirty_ratio: 0,
  delete_retention_ms: 50,
};
const CRASHES = ["kept", "lost", "torn", "scattered"] as const;

export class ReplicaHistory {
  readonly world: World;
  readonly config: Partial<ClusterConfig>;
  readonly brokerIds: readonly number[];
  readonly minInSyncReplicas: number;
  readonly #topicConfig: RawTopicConfig;
  readonly done: string[] = [];
  cluster!: BrokerCluster;
  /** Whether the topic is compacted, so that replicas may differ in what nobody needs any more. */
  readonly isCompacted: boolean;
  readonly producers: HistoryProducers;
  readonly transactions: HistoryTransactions | null;
  /** What acks=all has acknowledged, by offset. */
  readonly acknowledged = new Map<number, HeldRecord>();
  /** What a consumer has seen, by offset. */
  readonly seen = new Map<number, HeldRecord>();
  /** How often a broker's folder became an older one. */
  restored = 0;
  /** What was found wrong where nobody waits for it. */
  #problem: unknown = null;
  #copy: [brokerId: number, copy: FolderCopy] | null = null;
  /** `null` when chance draws one folder at most that is put back. */
  readonly #copies: HistoryCopies | null;
  #sent = 0;
  #waiting = 0;
  #epoch = 0;
  #highWatermark = 0;
  /** What delete_records has answered. */
  #deletedBefore = 0;
  /** Where each broker's log began. */
  readonly #starts = new Map<number, number>();

  /**
   * `changes`: of the configuration that chance draws; `anyFolders`: whether any folders are put back, again and again;
   * `withTransactions`: whether there are transactions besides.
   */
  constructor(
    seed: number,
    changes: Partial<ClusterConfig> = {},
    { anyFolders = false, withTransactions = false } = {},
  ) {
    this.world = memoryWorld(seed);
    this.#copies = anyFolders ? new HistoryCopies(this.world) : null;
    const { random } = this.world;
    const brokers = 2 + random.below(3);
    this.brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
    this.minInSyncReplicas = 1 + random.below(2);
    this.config = {
      brokerIds: this.brokerIds,
      segmentBytes: 1024 + random.below(2000),
      replicaFetchMaxBytes: 1 + random.below(600),
      replicaLagTimeMs: 100,
      ...changes,
    };
    this.isCompacted = random.below(2) === 0;
    this.producers = new HistoryProducers(random);
    this.transactions = withTransactions ? new HistoryTransactions(random) : null;
    this.#topicConfig = {
      min_insync_replicas: this.minInSyncReplicas,
      retention_ms: random.below(2) === 0 ? -1 : 20 + random.below(80),
      retention_bytes: random.below(2) === 0 ? -1 : random.below(1000),
      ...(this.isCompacted ? COMPACTED : {}),
    };
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.config);
    if (this.cluster.hasTopic("orders")) return;
    const config = this.#topicConfig;
    const replicationFactor = this.brokerIds.length;
    this.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor, config });
  }

  /** One step, and what must hold after it. */
  async step(): Promise<void> {
    const { random } = this.world;
    if (this.#copies !== null && random.below(100) < 15) {
      await this.#putBackAny(this.#copies);
      await settle();
      return this.check();
    }
    if (this.transactions !== null && random.below(100) < 30) {
      this.done.push(this.transactions.step(this.cluster));
      if (random.below(2) === 0) await this.#try("replicate", () => this.cluster.replicateOnce());
      await settle();
      return this.check();
    }
    if (this.isCompacted && random.below(100) < 20) {
      // Often enough that the time of tombstones and markers is over now and then.
      this.#advance(random.below(160));
      if (random.below(2) === 0) await this.#try("replicate", () => this.cluster.replicateOnce());
      await this.#try("compact", () => this.#compact());
      await settle();
      return this.check();
    }
    const choice = random.below(100);
    const brokerId = this.brokerIds[random.below(this.brokerIds.length)] ?? 1;
    if (choice < 30) this.#append(([0, 1, "all"] as const)[random.below(3)] ?? 1);
    else if (choice < 33) await this.#try("retention", () => this.cluster.steps.applyRetention());
    else if (choice < 36) await this.#try("roll", async () => this.cluster.steps.rollSegment(ORDERS));
    else if (choice < 39) await this.#try("compact", () => this.#compact());
    else if (choice < 52) await this.#try("replicate", () => this.cluster.replicateOnce());
    else if (choice < 62)
      await this.#try(`replicate ${brokerId}`, () => this.cluster.replicateOnce({ brokerId }));
    else if (choice < 68) this.#advance(random.below(80));
    else if (choice < 74) await this.#try("isr", async () => this.cluster.refreshIsr());
    else if (choice < 80)
      await this.#try(`promote ${brokerId}`, () => this.cluster.promote(ORDERS, brokerId));
    else if (choice < 83)
      await this.#try(`remove ${brokerId}`, async () => this.cluster.removeFromIsr(ORDERS, brokerId));
    else if (choice < 86) await this.#try(`rejoin ${brokerId}`, () => this.cluster.rejoin(ORDERS, brokerId));
    else if (choice < 89) await this.#try(`stop ${brokerId}`, () => this.cluster.stopBroker(brokerId));
    else if (choice < 92) await this.#try(`start ${brokerId}`, () => this.cluster.startBroker(brokerId));
    else if (choice < 94) await this.#try(`copy ${brokerId}`, () => this.#copyOrRestore(brokerId));
    else if (choice < 95) await this.#try("flush", () => this.cluster.steps.flushLogs());
    else if (choice < 96) await this.#try("delete records", () => this.#deleteRecords());
    else if (choice < 97) await this.#restart();
    else await this.#crash(CRASHES[random.below(CRASHES.length)] ?? "lost");
    await settle();
    this.check();
  }

  /** Every fault is over: each replica comes to hold what its leader holds, everybody is in sync, and nobody waits. */
  async converge(): Promise<void> {
    for (const brokerId of this.brokerIds) await this.cluster.startBroker(brokerId);
    const [candidate] = this.#set.inSyncReplicas;
    assert.ok(candidate !== undefined, "nobody is in sync, though no disk was damaged");
    if (this.#set.leaderId === null) await this.cluster.promote(ORDERS, candidate);
    for (const brokerId of this.brokerIds)
      if (brokerId !== this.#set.leaderId) await this.cluster.rejoin(ORDERS, brokerId);
    for (let round = 0; round < 200; round++) await this.cluster.replicateOnce();
    this.transactions?.finish(this.cluster);
    for (let round = 0; round < 10; round++) await this.cluster.replicateOnce();
    // Whoever waits for an acknowledgement may wait for a flush that has others before it.
    await this.cluster.steps.flushLogs();
    await settle();
    this.check();
    this.transactions?.checkEnded(this.cluster);
    // One that had led may have deleted what its successor had not heard of.
    const start = Math.max(...this.#set.copies.map(({ log }) => log.logStartOffset));
    const { logEndOffset: endOffset } = this.#set.leaderLog;
    const [first, ...others] = this.#set.copies.map(({ log }) => heldBy(log));
    for (const held of others)
      assertSame(first ?? [], held, { startOffset: start, endOffset }, this.isCompacted);
    assert.deepEqual(this.#set.inSyncReplicas, this.brokerIds);
    assert.equal(this.#set.highWatermark, this.#set.leaderLog.logEndOffset);
    assert.equal(this.#waiting, 0, "nobody waits for an acknowledgement any more");
  }

  check(): void {
    if (this.#problem !== null) throw this.#problem;
    this.#checkState();
    this.#checkStarts();
    assertReplicasAgree(this.#set, this.isCompacted);
    checkReaders(this);
    this.transactions?.check(this.cluster);
  }

  get #set() {
    return this.cluster.replicaSet(ORDERS);
  }

  #append(acks: Acks): void {
    const text = `v${this.#sent++}`.padEnd(4 + this.world.random.below(60), ".");
    const nowMs = this.world.clock.nowMs();
    const isIdempotent = this.world.random.below(2) === 0;
    const sequenced = isIdempotent ? this.producers.draw(this.cluster, text, nowMs) : null;
    const frame = sequenced?.frame ?? batchFrom(this.world.random, text, nowMs);
    const what = sequenced === null ? "" : `, ${sequenced.isRetry ? "again " : ""}${sequenced.sequence}`;
    this.done.push(`append v${this.#sent - 1} acks ${acks}${what}`);
    const [held] = heldIn(frame);
    assert.ok(held?.record != null);
    const { record } = held;
    this.#waiting++;
    const before = this.#placeOf(sequenced);
    const begins = this.#set.leadership.onlineLeader?.logStartOffset ?? 0;
    const appended = this.cluster.appendBatch(ORDERS, frame, { acks });
    appended
      .then(
        (result) => {
          if (sequenced !== null) {
            if (before !== null) assert.ok(result.duplicate, `${sequenced.sequence} was there already`);
            if (before !== null) assert.equal(result.baseOffset, before, sequenced.sequence);
            this.producers.answered(sequenced, result, begins);
          }
          if (acks !== "all") return;
          this.acknowledged.set(result.baseOffset, record);
          if (sequenced !== null) this.producers.acknowledged.set(sequenced.sequence, result.baseOffset);
        },
        (problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
          this.done.push(`  ${problem.code} for v${this.#sent - 1}`);
          if (sequenced !== null) this.producers.refused(this.cluster, sequenced, problem.code);
        },
      )
      .finally(() => {
        this.#waiting--;
      })
      .catch((problem: unknown) => {
        this.#problem ??= problem;
      });
  }

  /** Where the leader's log has a batch already, as far as anybody can see. */
  #placeOf(batch: SequencedBatch | null): number | null {
    const leader = this.#set.leadership.onlineLeader;
    if (batch === null || leader === null) return null;
    return heldBy(leader.log).find(({ sequence }) => sequence === batch.sequence)?.offset ?? null;
  }

  #advance(ms: number): void {
    this.done.push(`advance ${ms}`);
    this.world.clock.advance(ms);
  }

  async #try(what: string, act: () => Promise<unknown>): Promise<void> {
    this.done.push(what);
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      this.done.push(`  ${problem.code}`);
    }
  }

  async #deleteRecords(): Promise<void> {
    const before = this.world.random.below(this.#set.highWatermark + 1);
    await this.cluster.deleteRecords(ORDERS, before);
    this.#deletedBefore = Math.max(this.#deletedBefore, before);
  }

  /** Only what was flushed takes part, and what is written no more. */
  async #compact(): Promise<void> {
    this.cluster.steps.rollSegment(ORDERS);
    await this.cluster.steps.flushLogs();
    await this.cluster.steps.compact(async () => {});
  }

  /** Of one broker in a history, and only while others are in sync: what is on no disk any more nobody can find again. */
  async #copyOrRestore(brokerId: number): Promise<void> {
    if (this.#copies !== null) return this.#putBackAny(this.#copies);
    const [copied] = this.#copy ?? [brokerId];
    await this.cluster.stopBroker(copied);
    if (!this.#restored(this.#set.inSyncReplicas))
      this.#copy = [copied, copyOfBroker(this.world.disk, copied)];
    if (this.world.random.below(2) === 0) await this.cluster.startBroker(copied);
  }

  #restored(inSyncReplicas: readonly number[]): boolean {
    const [copied, copy] = this.#copy ?? [0, null];
    if (copy === null || !inSyncReplicas.some((id) => id !== copied)) return false;
    restoreBroker(this.world.disk, copied, copy);
    this.restored++;
    this.#starts.delete(copied);
    return this.done.push(`  restored ${copied}`) > 0;
  }

  /** Some brokers stop, or all of them, cleanly or not; some of their folders become older ones; some or all start again. */
  async #putBackAny(copies: HistoryCopies): Promise<void> {
    const { random } = this.world;
    const way = (["live", "live", "reopened", "killed"] as const)[random.below(4)] ?? "live";
    const chosen = this.brokerIds.filter(() => random.below(2) === 0);
    this.done.push(`${way} ${chosen.join(", ")}`);
    const { inSyncReplicas } = this.#set;
    copies.noteStarted(this.#set.copies);
    if (way === "live") for (const brokerId of chosen) await this.cluster.stopBroker(brokerId);
    else await (way === "reopened" ? this.cluster.close() : this.cluster.crash());
    if (way === "killed") this.world.disk.crash({ mode: "kept" });
    for (const brokerId of chosen) {
      if (random.below(2) === 0) copies.take(brokerId);
      else this.#putBack(copies, brokerId, inSyncReplicas);
    }
    if (way !== "live") await this.open();
    else for (const brokerId of chosen) if (random.below(2) === 0) await this.cluster.startBroker(brokerId);
  }

  #putBack(copies: HistoryCopies, brokerId: number, inSyncReplicas: readonly number[]): void {
    if (!copies.putBack(brokerId, inSyncReplicas)) return;
    this.restored++;
    this.#starts.delete(brokerId);
    this.done.push(`  put back ${brokerId}`);
  }

  async #restart(): Promise<void> {
    this.done.push("restart");
    for (const brokerId of this.brokerIds) await this.cluster.startBroker(brokerId);
    await this.cluster.close();
    await this.open();
  }

  async #crash(mode: (typeof CRASHES)[number]): Promise<void> {
    this.done.push(`crash ${mode}`);
    const { random } = this.world;
    const { inSyncReplicas } = this.#set;
    this.#copies?.noteStarted(this.#set.copies);
    await this.cluster.crash();
    this.world.disk.crash(mode === "kept" || mode === "lost" ? { mode } : { mode, random });
    if (this.#copies !== null)
      for (const brokerId of this.brokerIds)
        if (random.below(3) === 0) this.#putBack(this.#copies, brokerId, inSyncReplicas);
    if (mode === "kept" && random.below(2) === 0) this.#restored(inSyncReplicas);
    await this.open();
    await settle();
    if (mode === "kept") return;
    // What was not acknowledged by all may be lost in a power cut, also when somebody has seen it.
    const { highWatermark } = this.#set;
    for (const offset of this.acknowledged.keys())
      assert.ok(
        offset < highWatermark || this.#set.leaderId === null,
        `acknowledged ${offset} is not visible at ${highWatermark}`,
      );
    this.#highWatermark = highWatermark;
    for (const offset of this.seen.keys())
      if (offset >= highWatermark && !this.acknowledged.has(offset)) this.seen.delete(offset);
  }

  #checkState(): void {
    const { state, replicas, highWatermark } = this.#set;
    assert.equal(stateProblem(state, replicas), null);
    assert.ok(state.inSyncReplicas.length > 0, "somebody is in sync");
    assert.ok(state.leaderEpoch >= this.#epoch, `epoch ${state.leaderEpoch} follows ${this.#epoch}`);
    assert.ok(
      highWatermark >= this.#highWatermark,
      `high watermark ${highWatermark} follows ${this.#highWatermark}`,
    );
    this.#epoch = state.leaderEpoch;
    this.#highWatermark = highWatermark;
    const kept = openMetadataFile(FOLDER, this.world).read()?.topics[0]?.partitions[0];
    assert.deepEqual(kept, { replicas, ...state }, "the metadata file says the same");
    for (const copy of this.#set.copies) {
      if (copy.logEndOffset === null) continue;
      const isMember = state.inSyncReplicas.includes(copy.brokerId);
      assert.ok(
        !isMember || copy.logEndOffset >= highWatermark,
        `${copy.brokerId} is in sync and ends at ${copy.logEndOffset}`,
      );
      // One that is out may remember what the others have lost in a power cut.
      assert.ok(
        !isMember || copy.highWatermark <= highWatermark,
        `${copy.brokerId} knows ${copy.highWatermark} of ${highWatermark}`,
      );
    }
  }

  /** In sync nobody's log begins earlier than it did, nor before what was deleted: no promotion brings a record back. */
  #checkStarts(): void {
    const { copies, inSyncReplicas } = this.#set;
    for (const { brokerId, isOnline, log } of copies) {
      // One that is out may begin anew at its leader's start.
      if (!inSyncReplicas.includes(brokerId)) this.#starts.delete(brokerId);
      else if (isOnline) {
        const before = Math.max(this.#starts.get(brokerId) ?? 0, this.#deletedBefore);
        const { logStartOffset } = log;
        assert.ok(
          logStartOffset >= before,
          `${brokerId} began at ${before}, and begins at ${logStartOffset}`,
        );
        this.#starts.set(brokerId, logStartOffset);
      }
    }
  }
}
