/**
 * A broker stops and starts, while the others of this process run on. Nothing is elected meanwhile: what it leads has no leader,
 * what it follows falls behind.
 *
 * Invariant: what is asked of one broker takes effect one after another, in the order of the calls, also when all are made at once.
 */

import { answeringForDisk } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { Broker } from "./broker.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { StepParts } from "./replication-steps.ts";
import { deleteHidden, judgeStarted, noteStarts } from "./started-replicas.ts";
import { openOrProblem } from "./topic-folders.ts";

export interface BrokerLifeResult {
  readonly brokerId: number;
  /** Stopping: whether everything was flushed and closed. Starting: whether that was so when it stopped. */
  readonly clean: boolean;
}

export interface BrokerLifeParts extends StepParts {
  readonly reserve: DiskReserve;
}

export class BrokerLife {
  readonly #parts: BrokerLifeParts;
  readonly #env: Env;
  /** By broker: the last stop or start that is under way, or waits for the one before. */
  readonly #turns = new Map<number, Promise<BrokerLifeResult>>();
  /** How the brokers that are stopped ended. */
  readonly #endedClean = new Map<number, boolean>();

  constructor(parts: BrokerLifeParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /**
   * It serves no more, from this call on unless a stop or start of it is under way; resolves when its logs are closed. Stopping
   * one that is stopped answers how it ended. `requireServing` is asked after a wait. Rejects with INVALID_REQUEST, and as that
   * throws.
   */
  async stop(brokerId: number, requireServing: () => void): Promise<BrokerLifeResult> {
    const broker = this.#parts.brokers.require(brokerId);
    return this.#inTurn(brokerId, requireServing, () => this.#stop(broker));
  }

  /**
   * Opens its logs again. Those that did not end cleanly are judged. `requireServing` is asked after a wait. Rejects with
   * INVALID_REQUEST, STORAGE_ERROR, and as `requireServing` throws.
   */
  async start(brokerId: number, requireServing: () => void): Promise<BrokerLifeResult> {
    const broker = this.#parts.brokers.require(brokerId);
    return this.#inTurn(brokerId, requireServing, () => this.#start(broker));
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
  }

  #inTurn(
    brokerId: number,
    requireServing: () => void,
    act: () => Promise<BrokerLifeResult>,
  ): Promise<BrokerLifeResult> {
    const before = this.#turns.get(brokerId);
    const actAfter = async (): Promise<BrokerLifeResult> => {
      await Promise.allSettled([before]);
      requireServing();
      return act();
    };
    const turn = before === undefined ? act() : actAfter();
    this.#turns.set(brokerId, turn);
    const forget = () => {
      if (this.#turns.get(brokerId) === turn) this.#turns.delete(brokerId);
    };
    turn.then(forget, forget);
    return turn;
  }

  async #start(broker: Broker): Promise<BrokerLifeResult> {
    const { brokerId } = broker;
    if (!broker.isStopped) return { brokerId, clean: broker.startedClean };
    const { table, keeper } = this.#parts;
    answeringForDisk(() => broker.start(keeper.brokerEpochOf(brokerId)));
    const sets = this.#setsOf(brokerId);
    for (const set of sets) {
      const { topic: name, partition } = set.place;
      const topic = keeper.catalogue.require(name);
      const log = openOrProblem(broker, topic, partition, this.#env);
      if (!(log instanceof BrokerError)) log.hideBelow(set.state.deletedBefore ?? 0);
      const noted = table.notedHighWatermark(topic, partition, broker);
      set.leadership.requireCopy(brokerId).attach(log, learnedBy(broker, set, noted));
    }
    try {
      // What nobody knows to last is nothing to judge by.
      keeper.requireWritable();
      judgeStarted(sets, { ...this.#parts, newcomers: [brokerId], isOpening: false, trace: this.#env.trace });
      noteStarts([broker], keeper, this.#parts.reserve);
    } catch (problem) {
      // Nobody knows which of its replicas may be believed: it has to be started again, and judged then.
      if (problem instanceof BrokerError) {
        broker.fail(`its replicas were not judged: ${problem.message}`);
        for (const set of sets) set.leadership.requireCopy(brokerId).attach(problem, set.highWatermark);
      }
      throw problem;
    }
    this.#env.trace({ kind: "broker_started", brokerId, clean: broker.startedClean });
    for (const set of sets) {
      set.resumeLeading();
      this.#parts.behind.add(set);
    }
    await deleteHidden(sets);
    return { brokerId, clean: broker.startedClean };
  }

  async #stop(broker: Broker): Promise<BrokerLifeResult> {
    const { brokerId } = broker;
    if (broker.isStopped) return { brokerId, clean: this.#endedClean.get(brokerId) ?? true };
    const { table, keeper } = this.#parts;
    const closed = broker.stop(() => table.highWatermarksOf(brokerId, keeper.catalogue));
    for (const set of this.#setsOf(brokerId)) if (set.assignedLeaderId === brokerId) set.stopLeading();
    const clean = await closed.then(
      () => true,
      (problem: unknown) => {
        if (!(problem instanceof BrokerError)) throw problem;
        return false;
      },
    );
    this.#endedClean.set(brokerId, clean);
    this.#env.trace({ kind: "broker_stopped", brokerId, clean });
    return { brokerId, clean };
  }

  #setsOf(brokerId: number): PartitionReplicaSet[] {
    return this.#parts.table.all().filter(({ replicas }) => replicas.includes(brokerId));
  }
}

/**
 * What a replica knows to be visible whose broker has just started. In sync it is no more than is visible; out of sync it goes by its
 * own note, as if it had never been away, whatever has come to be visible without it.
 */
function learnedBy(
  { brokerId, isOlderCopy }: Broker,
  { highWatermark, inSyncReplicas }: PartitionReplicaSet,
  noted: number | null,
): number {
  if (isOlderCopy) return 0;
  if (noted !== null && !inSyncReplicas.includes(brokerId)) return noted;
  return Math.min(noted ?? highWatermark, highWatermark);
}
