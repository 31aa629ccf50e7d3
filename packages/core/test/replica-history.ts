/** A replicated partition through a history that chance has drawn, and what must hold after each of its steps. */
import assert from "node:assert/strict";
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import { openMetadataFile } from "../src/cluster/metadata-file.ts";
import { BrokerError } from "../src/errors.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import type { Acks } from "../src/replica/acknowledgement.ts";
import { stateProblem } from "../src/replica/partition-state.ts";
import { batchOf, FOLDER, openCluster } from "./cluster-world.ts";
import { copyOfBroker, type FolderCopy, restoreBroker } from "./folder-copy.ts";
import { ORDERS, settle } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

const CRASHES = ["kept", "lost", "torn", "scattered"] as const;

/** A batch as it lies in a log: its offset and epoch, and all of it in a line. */
interface Held {
  readonly offset: number;
  readonly epoch: number;
  readonly line: string;
}

export class ReplicaHistory {
  readonly world: World;
  readonly config: Partial<ClusterConfig>;
  readonly brokerIds: readonly number[];
  readonly minInSyncReplicas: number;
  readonly done: string[] = [];
  cluster!: BrokerCluster;
  /** What acks=all has acknowledged, by offset. */
  readonly acknowledged = new Map<number, string>();
  /** What a consumer has seen, by offset. */
  readonly seen = new Map<number, string>();
  /** How often a broker's folder became an older one. */
  restored = 0;
  #copy: [brokerId: number, copy: FolderCopy] | null = null;
  #sent = 0;
  #waiting = 0;
  #epoch = 0;
  #highWatermark = 0;

  /** `changes`: of the configuration that chance draws. */
  constructor(seed: number, changes: Partial<ClusterConfig> = {}) {
    this.world = memoryWorld(seed);
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
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, this.config);
    if (this.cluster.hasTopic("orders")) return;
    const config = { min_insync_replicas: this.minInSyncReplicas };
    const replicationFactor = this.brokerIds.length;
    this.cluster.createTopic({ topic: "orders", partitions: 1, replicationFactor, config });
  }

  /** One step, and what must hold after it. */
  async step(): Promise<void> {
    const { random } = this.world;
    const choice = random.below(100);
    const brokerId = this.brokerIds[random.below(this.brokerIds.length)] ?? 1;
    if (choice < 34) this.#append(([0, 1, "all"] as const)[random.below(3)] ?? 1);
    else if (choice < 50) await this.#try("replicate", () => this.cluster.replicateOnce());
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
    else if (choice < 93) await this.#try(`start ${brokerId}`, () => this.cluster.startBroker(brokerId));
    else if (choice < 94) await this.#try(`copy ${brokerId}`, () => this.#copyOrRestore(brokerId));
    else if (choice < 95) await this.#try("flush", () => this.#flush());
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
    await settle();
    this.check();
    // One that had led may have deleted what its successor had not heard of.
    const start = Math.max(...this.#set.copies.map(({ log }) => log.logStartOffset));
    const [first, ...others] = this.#set.copies.map(({ log }) =>
      heldBy(log).filter(({ offset }) => offset >= start),
    );
    for (const held of others) assert.deepEqual(held, first, "the replicas hold the same batches in the end");
    assert.deepEqual(this.#set.inSyncReplicas, this.brokerIds);
    assert.equal(this.#set.highWatermark, this.#set.leaderLog.logEndOffset);
    assert.equal(this.#waiting, 0, "nobody waits for an acknowledgement any more");
  }

  check(): void {
    this.#checkState();
    this.#checkLogs();
    this.#checkReaders();
  }

  get #set() {
    return this.cluster.replicaSet(ORDERS);
  }

  #append(acks: Acks): void {
    const value = `v${this.#sent++}`.padEnd(4 + this.world.random.below(60), ".");
    this.done.push(`append ${value.replaceAll(".", "")} acks ${acks}`);
    this.#waiting++;
    this.cluster
      .appendBatch(ORDERS, batchOf([value]), { acks })
      .then(
        ({ baseOffset }) => {
          if (acks === "all") this.acknowledged.set(baseOffset, value);
        },
        (problem: unknown) => {
          if (!(problem instanceof BrokerError)) throw problem;
        },
      )
      .finally(() => {
        this.#waiting--;
      });
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
    const { leaderLog, highWatermark } = this.#set;
    await leaderLog.deleteRecords(this.world.random.below(highWatermark + 1));
  }

  /** Of one broker in a history, and only while others are in sync: what is on no disk any more nobody can find again. */
  async #copyOrRestore(brokerId: number): Promise<void> {
    const [copied, copy] = this.#copy ?? [brokerId, null];
    await this.cluster.stopBroker(copied);
    if (copy !== null && this.#set.inSyncReplicas.some((id) => id !== copied)) {
      restoreBroker(this.world.disk, copied, copy);
      this.restored++;
      this.done.push(`  restored ${copied}`);
    } else this.#copy = [copied, copyOfBroker(this.world.disk, copied)];
    if (this.world.random.below(2) === 0) await this.cluster.startBroker(copied);
  }

  async #flush(): Promise<void> {
    await this.cluster.steps.flushLogs();
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
    await this.cluster.crash();
    this.world.disk.crash(mode === "kept" || mode === "lost" ? { mode } : { mode, random });
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
    for (const offset of this.seen.keys()) if (!this.acknowledged.has(offset)) this.seen.delete(offset);
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

  /** The same offset of the same epoch is the same batch, and so is everything before it (Raft: log matching). */
  #checkLogs(): void {
    const { highWatermark, copies, inSyncReplicas } = this.#set;
    const online = copies
      .filter(({ isOnline }) => isOnline)
      .map((copy) => ({ copy, held: heldBy(copy.log) }));
    for (const one of online) {
      for (const other of online) {
        if (one.copy.brokerId >= other.copy.brokerId) continue;
        const names = `${one.copy.brokerId} and ${other.copy.brokerId}`;
        const start = Math.max(one.copy.log.logStartOffset, other.copy.log.logStartOffset);
        const [ones, others] = [one, other].map(({ held }) => held.filter(({ offset }) => offset >= start));
        let agreed = Math.min(ones?.length ?? 0, others?.length ?? 0);
        while (agreed > 0 && ones?.[agreed - 1]?.epoch !== others?.[agreed - 1]?.epoch) agreed--;
        const both = [one.copy, other.copy].every(({ brokerId }) => inSyncReplicas.includes(brokerId));
        if (both) agreed = Math.max(agreed, highWatermark - start);
        assert.deepEqual(
          ones?.slice(0, agreed),
          others?.slice(0, agreed),
          `${names} agree on ${agreed} from ${start} on`,
        );
      }
    }
  }

  #checkReaders(): void {
    const set = this.#set;
    if (set.leaderId === null) return;
    const { highWatermark } = set;
    const { logStartOffset } = set.leaderLog;
    assert.ok(
      logStartOffset <= highWatermark,
      `the log begins at ${logStartOffset}, behind ${highWatermark}`,
    );
    for (let offset = logStartOffset; offset < highWatermark; ) {
      const { batches, nextOffset } = this.cluster.fetch(ORDERS, offset, { bytesMax: 1 << 20 });
      for (const frame of splitFrames(batches)) {
        const { baseOffset, nextOffset: end } = readBatchHeader(frame);
        assert.ok(end <= highWatermark, `a consumer got ${baseOffset} at high watermark ${highWatermark}`);
        const value = textOf(frame);
        const before = this.seen.get(baseOffset) ?? value;
        assert.equal(value, before, `offset ${baseOffset} was ${before} and is ${value}`);
        this.seen.set(baseOffset, value);
      }
      offset = nextOffset;
    }
    for (const [offset, value] of this.acknowledged) {
      assert.ok(offset < highWatermark, `acknowledged ${offset} is not visible at ${highWatermark}`);
      if (offset >= logStartOffset) assert.equal(this.seen.get(offset), value, `acknowledged ${offset}`);
    }
  }
}

function heldBy(log: PartitionLog): Held[] {
  const held: Held[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { leaderEpoch: epoch, baseOffset, crc } = readBatchHeader(frame);
      held.push({
        offset: baseOffset,
        epoch,
        line: `${baseOffset} of epoch ${epoch}, CRC ${crc}: ${textOf(frame)}`,
      });
    }
    offset = nextOffset;
  }
  return held;
}

/** Each batch has one record. */
function textOf(frame: Buffer): string {
  return decodeRecords(frame)[0]?.value?.toString() ?? "";
}
