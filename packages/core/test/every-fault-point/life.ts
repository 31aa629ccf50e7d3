/**
 * One process after another on one disk, and somebody who uses and tends them: he asks again where he was refused, and begins
 * a new process where that does not help.
 *
 * Invariant: once a fault has killed the process, nothing it does reaches the disk.
 */
import { BrokerCluster } from "../../src/cluster/cluster.ts";
import { DataFolderRefused } from "../../src/cluster/data-folder-refusal.ts";
import { ManualClock } from "../../src/env/clock.ts";
import { FaultPoints } from "../../src/env/fault-points.ts";
import type { MemoryDisk } from "../../src/env/memory-disk.ts";
import { SeededRandom } from "../../src/env/random.ts";
import { noTrace } from "../../src/env/trace.ts";
import { BrokerError } from "../../src/errors.ts";
import type { TopicPartition } from "../../src/replica/topic-partition.ts";
import { FOLDER } from "../cluster-world.ts";
import { Witness } from "./witness.ts";

const TRIES_MAX = 4;
const ROUNDS_MAX = 20;
/** More than replicaLagTimeMs, and less than a transaction may last. */
const LAG_MS = 31_000;
const SEED_OF_ANOTHER = 99;
const TURNS_OF_A_WHILE = 5;
const CONFIG = {
  dataFolder: FOLDER,
  brokerIds: [1, 2],
  segmentBytes: 1024,
  offsetsTopicPartitions: 1,
  transactionsTopicPartitions: 1,
  reserveBytes: 4096,
  transactionMaxTimeoutMs: 60_000,
};

/** A fault has ended the process. */
export class Died extends Error {
  override readonly name = "Died";
}

export interface Start {
  readonly disk: MemoryDisk;
  readonly nowMs: number;
  readonly witness: Witness;
  readonly seed: number;
}

export class FaultLife {
  readonly disk: MemoryDisk;
  readonly witness: Witness;
  readonly clock: ManualClock;
  readonly faults: FaultPoints;
  /** With what somebody was refused. */
  readonly codes = new Set<string>();
  /** What stood as somebody was first refused while faults were armed. */
  firstRefusal: Start | null = null;
  readonly #random: SeededRandom;
  readonly #death: Promise<never>;
  #cluster: BrokerCluster | null = null;
  #isDead = false;

  constructor({ disk, nowMs, witness, seed }: Start) {
    this.disk = disk;
    this.witness = witness;
    this.clock = new ManualClock(nowMs);
    this.#random = new SeededRandom(seed);
    let die = () => {};
    this.#death = new Promise((_resolve, reject) => {
      die = () => reject(new Died());
    });
    this.#death.catch(() => {});
    this.faults = new FaultPoints({
      delay: aWhile,
      onCrash: () => {
        this.disk.powerOff();
        this.#isDead = true;
        die();
      },
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** For another life, which begins with what this one has on its disk. */
  standing(): Start {
    const witness = new Witness(this.witness.facts);
    return { disk: this.disk.clone(), nowMs: this.clock.nowMs(), witness, seed: SEED_OF_ANOTHER };
  }

  /** The one that is open; begins one where there is none. */
  async cluster(): Promise<BrokerCluster> {
    const env = {
      clock: this.clock,
      disk: this.disk,
      random: this.#random,
      trace: noTrace,
      faults: this.faults,
    };
    this.#cluster ??= await this.#unlessDead(BrokerCluster.open(CONFIG, env));
    return this.#cluster;
  }

  /** Does `act`, and again where it is refused, with a new process from the second refusal on. Every act bears being repeated. */
  async step(name: string, act: (cluster: BrokerCluster) => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.driven(act(await this.cluster()));
        return;
      } catch (problem) {
        this.#note(problem, name);
        if (tries === TRIES_MAX) throw new Error(`${name} is refused for ever`, { cause: problem });
        if (tries > 1) await this.renew();
      }
    }
  }

  /** Resolves as `work`, while followers fetch for it. */
  async driven<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const note = () => {
      isOver = true;
    };
    work.then(note, note);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#unlessDead(new Promise(setImmediate));
      if (isOver) return await this.#unlessDead(work);
      if (round === ROUNDS_MAX / 2) await this.#lag();
      await this.copied();
    }
    throw new Error("what was asked for is under way for ever");
  }

  /** Who cannot follow is in sync no longer. */
  async #lag(): Promise<void> {
    this.clock.advance(LAG_MS);
    await this.#tolerated("refresh", (async () => (await this.cluster()).refreshIsr())());
  }

  /** One round of every follower; a refusal is somebody's who asks for more. */
  async copied(): Promise<void> {
    await this.#tolerated("replicate", (await this.cluster()).replicateOnce());
  }

  /** Closes as well as can be, opens again, and sees to it that every partition is led and everybody in sync. */
  async renew(): Promise<void> {
    await this.close();
    for (let tries = 1; ; tries++) {
      try {
        await this.#converge();
        return;
      } catch (problem) {
        this.#note(problem, "renew");
        if (tries === TRIES_MAX) throw new Error("nothing helps", { cause: problem });
        await this.close();
      }
    }
  }

  /** A refusal leaves what a crash leaves. */
  async close(): Promise<void> {
    const open = this.#cluster;
    this.#cluster = null;
    if (open !== null) await this.#tolerated("close", this.#driveClosing(open));
  }

  /** The process is killed; no fault has done it. */
  async kill(): Promise<void> {
    const open = this.#cluster;
    this.#cluster = null;
    if (open !== null) await this.#unlessDead(open.crash());
    this.disk.crash({ mode: "kept" });
  }

  async #driveClosing(open: BrokerCluster): Promise<void> {
    await this.#unlessDead(open.close());
  }

  async #converge(): Promise<void> {
    const cluster = await this.cluster();
    for (const place of placesOf(cluster)) {
      const { leaderId, inSyncReplicas } = cluster.replicaSet(place);
      if (leaderId !== null) continue;
      const { copies } = cluster.replicaSet(place);
      const heir = copies.find(
        ({ brokerId, isOnline }) => isOnline && inSyncReplicas.includes(brokerId),
      )?.brokerId;
      if (heir !== undefined) await this.#unlessDead(cluster.promote(place, heir));
    }
    for (let round = 0; round < 4; round++) await this.#unlessDead(cluster.replicateOnce());
  }

  async #tolerated(name: string, work: Promise<unknown>): Promise<void> {
    try {
      await this.#unlessDead(work);
    } catch (problem) {
      this.#note(problem, name);
    }
  }

  async #unlessDead<Result>(work: Promise<Result>): Promise<Result> {
    work.catch(() => {});
    const result = await Promise.race([work, this.#death]);
    if (this.#isDead) throw new Died();
    return result;
  }

  /** Keeps a refusal of the world, and throws everything else. */
  #note(problem: unknown, name: string): void {
    if (this.#isDead) throw new Died();
    if (this.faults.rules().some(({ fired }) => fired > 0)) this.firstRefusal ??= this.standing();
    if (problem instanceof BrokerError) this.codes.add(problem.code);
    else if (problem instanceof DataFolderRefused) this.codes.add(`refused: ${problem.reason}`);
    else throw new Error(`${name}: ${String(problem)}`, { cause: problem });
  }
}

/** Long enough for everything else to be done that can be. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_A_WHILE; turn++) await new Promise(setImmediate);
}

/** Every partition, the internal ones too. */
export function placesOf(cluster: BrokerCluster): TopicPartition[] {
  return cluster
    .listTopics()
    .flatMap(({ topic, partitions }) =>
      Array.from({ length: partitions }, (_none, partition) => ({ topic, partition })),
    );
}
