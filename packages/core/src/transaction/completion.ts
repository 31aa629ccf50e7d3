/**
 * What follows a decision: the markers of a prepared transaction, and the record that says that all are there.
 *
 * Owns: for each transactional id the one that is at it.
 * Invariants: no marker before the decision is durable, and no complete transaction before every partition's marker is; a failure
 * leaves it prepared, and whoever comes next takes it up again from the beginning, which changes nothing where it was done.
 * Never: a decision taken back.
 */
import { assert } from "../assert.ts";
import { unlessGivenUp, type Wait } from "../coordinator/give-up.ts";
import { answeringForDiskLater } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { FaultPoints } from "../env/fault-points.ts";
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import { isSame } from "../replica/producer-identity.ts";
import type { TransactionEnd } from "../replica/transaction-end.ts";
import type { OtherRooms } from "./other-rooms.ts";
import type { TransactionChanges } from "./transaction-changes.ts";
import { isPrepared, isSameEnd, type Transaction, type TransactionPartition } from "./transaction-state.ts";

export class Completion {
  readonly #changes: TransactionChanges;
  readonly #rooms: OtherRooms;
  readonly #faults: FaultPoints;
  readonly #running = new Map<string, Promise<void>>();
  readonly #behindTheScenes = new Set<Promise<void>>();

  constructor(changes: TransactionChanges, rooms: OtherRooms, { faults }: Env) {
    this.#changes = changes;
    this.#rooms = rooms;
    this.#faults = faults;
  }

  /**
   * Resolves when no end of the id's transactions is open any more. Rejects with the problem of a partition, or of the record,
   * after all partitions were tried; and with REQUEST_TIMED_OUT when `wait` ends, though the work goes on.
   */
  complete(transactionalId: string, wait: Wait = {}): Promise<void> {
    const running = this.#running.get(transactionalId) ?? this.#start(transactionalId);
    return unlessGivenUp(running, wait, () => `the end of the transaction of ${quoted(transactionalId)}`);
  }

  /** Whether somebody is at it. */
  isRunning(transactionalId: string): boolean {
    return this.#running.has(transactionalId);
  }

  /** The same for nobody in particular: what the world refuses now, a later step will try again. */
  takeUp(transactionalId: string): void {
    this.inBackground(this.complete(transactionalId));
  }

  /** For settled() to wait for. A refusal of the world is passed over. */
  inBackground(work: Promise<void>): void {
    const passed = work
      .catch((problem: unknown) => {
        if (!(problem instanceof BrokerError)) throw problem;
      })
      .finally(() => this.#behindTheScenes.delete(passed));
    this.#behindTheScenes.add(passed);
  }

  /** Resolves when nothing is at work any more. Rejects with what no refusal of the world is. */
  async settled(): Promise<void> {
    while (this.#running.size + this.#behindTheScenes.size > 0) {
      await Promise.all(this.#behindTheScenes);
      await Promise.allSettled(this.#running.values());
    }
  }

  #start(transactionalId: string): Promise<void> {
    const running = this.#drive(transactionalId);
    this.#running.set(transactionalId, running);
    return running;
  }

  async #drive(transactionalId: string): Promise<void> {
    try {
      for (;;) {
        // What was decided by now is durable after it.
        await this.#changes.act(transactionalId, () => null);
        const keeper = this.#changes.topic.loaded(transactionalId)?.transaction;
        if (keeper === undefined) continue;
        const decided = keeper.current(transactionalId);
        if (!isPrepared(decided)) return;
        if (!isSameEnd(decided, keeper.committed(transactionalId))) continue;
        await this.#mark(decided);
        await this.#changes.act(transactionalId, (now) =>
          isSameEnd(decided, now) ? { kind: "complete" } : null,
        );
      }
    } finally {
      // In this very instant: who comes from here on may have decided something since.
      this.#running.delete(transactionalId);
    }
  }

  /** Resolves when every partition has its marker. */
  async #mark(transaction: Transaction): Promise<void> {
    const marker = this.#markerOf(transaction);
    const marked = await Promise.allSettled(
      [...transaction.partitions.values()].map((place) => this.#markPartition(place, marker)),
    );
    const problems = marked.flatMap((result): unknown[] =>
      result.status === "rejected" ? [result.reason] : [],
    );
    if (problems.length === 0) return;
    throw problems.find((problem) => !(problem instanceof BrokerError)) ?? problems[0];
  }

  /** A topic that is gone, or was made anew, has nothing of the transaction. */
  async #markPartition(place: TransactionPartition, marker: TransactionEnd): Promise<void> {
    const { topic, partition } = place;
    for (;;) {
      const pass = () => this.#faults.waitAt("transaction.marker.before_request", { topic, partition });
      await answeringForDiskLater(pass);
      if (this.#rooms.topicIdOf(place.topic) !== place.topicId) return;
      try {
        await this.#rooms.endTransaction(place, marker);
        return;
      } catch (problem) {
        if (!(problem instanceof BrokerError)) throw problem;
        const isGone = problem.code === "UNKNOWN_TOPIC" || problem.code === "UNKNOWN_PARTITION";
        // The new leader may have the marker, or not.
        if (!isGone && problem.code !== "FENCED_LEADER_EPOCH") throw problem;
        if (isGone && this.#rooms.topicIdOf(place.topic) === place.topicId) throw problem;
      }
    }
  }

  #markerOf({ transactionalId, state, markerProducer, lastEnd }: Transaction): TransactionEnd {
    assert(markerProducer !== null, `${transactionalId} is prepared, and no marker is known`);
    return {
      ...markerProducer,
      keepsEpoch: lastEnd !== null && isSame(lastEnd.producer, markerProducer),
      control: state === "prepare_commit" ? "commit" : "abort",
      coordinatorEpoch: this.#changes.topic.shardOf(transactionalId)?.leaderEpoch ?? 0,
    };
  }
}
