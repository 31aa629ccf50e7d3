/**
 * Logs of new partitions on one broker, before their topic counts: the folder of each is made with its syncs off the thread, and
 * then the log is opened in a turn of its own, so that a thousand of them hold nobody up. Whoever makes the topic takes them.
 *
 * Owns: the folders under way; the logs that are open and that nobody has taken.
 * Invariant: one that was made is there to be taken, unless the broker was stopped or closed meanwhile.
 * Never: a change of the disk once the broker was stopped or closed.
 */
import type { Env } from "../env/env.ts";
import { Places } from "../env/places.ts";
import { BrokerError } from "../errors.ts";
import { PartitionLog, type PartitionLogOptions } from "../log/partition-log.ts";
import type { FolderPreparation } from "../log/parts/folder-preparation.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";

export class LogsBeingMade {
  readonly #brokerId: number;
  readonly #env: Env;
  readonly #underWay = new Set<FolderPreparation>();
  readonly #made = new Map<string, PartitionLog>();
  readonly #turn = new Places(1);
  /** From now on nothing new is made. */
  #isAbandoned = false;

  constructor(brokerId: number, env: Env) {
    this.#brokerId = brokerId;
    this.#env = env;
  }

  /** Rejects with DiskError, STORAGE_ERROR, and as take() throws. */
  async make(options: PartitionLogOptions): Promise<void> {
    const preparation = PartitionLog.prepare(options, this.#env);
    if (this.#isAbandoned) preparation.abandon();
    this.#underWay.add(preparation);
    try {
      await preparation.run();
      await this.#inTurn();
      if (preparation.isAbandoned) throw this.#stoppedBefore(options.place);
      this.#made.set(partitionName(options.place), PartitionLog.open(options, this.#env));
    } catch (problem) {
      throw preparation.isAbandoned ? this.#stoppedBefore(options.place) : problem;
    } finally {
      this.#underWay.delete(preparation);
    }
  }

  /** A log that was made. Throws BROKER_NOT_AVAILABLE when the broker was stopped or closed since, which nothing is wrong with. */
  take(place: TopicPartition): PartitionLog {
    const name = partitionName(place);
    const log = this.#made.get(name);
    if (log === undefined) throw this.#stoppedBefore(place);
    this.#made.delete(name);
    return log;
  }

  /** Closes one that nobody will take. */
  drop(place: TopicPartition): void {
    const name = partitionName(place);
    this.#made.get(name)?.abandon();
    this.#made.delete(name);
  }

  /** As if the process had died. Nothing is made until begin(). */
  abandon(): void {
    this.#isAbandoned = true;
    for (const preparation of this.#underWay) preparation.abandon();
    for (const log of this.#made.values()) log.abandon();
    this.#made.clear();
  }

  /** The broker has started. */
  begin(): void {
    this.#isAbandoned = false;
  }

  /** One after another, with a turn for everybody else between two. */
  async #inTurn(): Promise<void> {
    const { pause } = this.#env;
    if (pause === undefined) return;
    await this.#turn.take();
    try {
      await pause();
    } finally {
      this.#turn.give();
    }
  }

  #stoppedBefore(place: TopicPartition): BrokerError {
    const brokerId = this.#brokerId;
    const message = `broker ${brokerId} was stopped before the folder of ${partitionName(place)} was made`;
    return new BrokerError("BROKER_NOT_AVAILABLE", message, { broker_id: brokerId });
  }
}
