/**
 * A topic's folders, on all brokers that hold a copy of its partitions: made, opened, removed.
 *
 * Invariants: what make() or take() returns is durable; what remove() removed stays removed once syncAbove() has returned.
 * Never: records removed of which no one said that they may go; a foreign file removed at all.
 */

import { isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { Places } from "../env/places.ts";
import { BrokerError, storageError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { holdsRecords, ownerOf } from "../log/inspection/folder-survey.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { partitionName } from "../replica/topic-partition.ts";
import { eachSettled } from "./all-settled.ts";
import type { Broker } from "./broker.ts";
import type { BrokerNames } from "./broker-names.ts";
import type { Brokers } from "./brokers.ts";
import { parsePartitionFolder, removePartitionFolder } from "./partition-folder.ts";
import type { Topic } from "./topics.ts";

/** One copy of one partition. */
interface Place {
  readonly broker: Broker;
  readonly topic: string;
  readonly partition: number;
  readonly folder: string;
}

export class TopicFolders {
  readonly #brokers: Brokers;
  readonly #env: Env;
  /** Whoever makes folders in parts shares them, however many topics are made at once. */
  readonly #makers = new Places(LIMITS.logsFlushedAtOnce);

  constructor(brokers: Brokers, env: Env) {
    this.#brokers = brokers;
    this.#env = env;
  }

  /**
   * Makes a topic's folders and opens their logs, for each partition in the order of placement. What an interrupted creation
   * left there is cleared first. When it throws (STORAGE_ERROR, DiskError), nothing is left but what the disk refused to give back.
   */
  make(topic: Topic): PartitionLog[][] {
    this.clear(topic);
    try {
      const logs = topic.partitions.map(({ replicas }, partition) =>
        replicas.map((brokerId) => this.#brokers.get(brokerId).openLog(topic, partition, { create: true })),
      );
      this.syncAbove(topic);
      return logs;
    } catch (problem) {
      if (isRefusal(problem)) this.undo(topic);
      throw problem;
    }
  }

  /**
   * The same in parts, from partition `from` on, where clear() has made room: take() has the logs then. Rejects with DiskError,
   * STORAGE_ERROR, BROKER_NOT_AVAILABLE; undoInParts() follows then.
   */
  async makeLater(topic: Topic, from = 0): Promise<void> {
    const above = this.above(topic);
    await eachSettled(placesOf(topic, this.#brokers, from), this.#makers, ({ broker, partition }) =>
      broker.makeLog(topic, partition),
    );
    await this.syncAboveLater(above);
  }

  /** What makeLater() made, as make() returns it. Throws BROKER_NOT_AVAILABLE when a broker has stopped since. */
  take(topic: Topic, from = 0): PartitionLog[][] {
    return topic.partitions
      .slice(from)
      .map(({ replicas }, index) =>
        replicas.map((brokerId) => this.#brokers.get(brokerId).takeLog(topic, from + index)),
      );
  }

  /** Takes back what make() made: whatever lies there was made by it, since clear() had found nothing. Where the disk refuses, an empty folder stays, which the next make() clears. */
  undo(topic: Topic): void {
    for (const _ of this.undoInParts(topic)) {
      // Nobody has a turn.
    }
  }

  /** The same for what makeLater() made, one folder between two turns; before the first of them all logs are closed. */
  *undoInParts(topic: Topic, from = 0): Generator<void> {
    const places = placesOf(topic, this.#brokers, from);
    for (const { broker, partition } of places) broker.dropLog({ topic: topic.topic, partition });
    for (const { folder } of places) {
      try {
        removePartitionFolder(this.#env.disk, folder);
      } catch (problem) {
        if (!isRefusal(problem)) throw problem;
      }
      yield;
    }
  }

  /** Opens the logs of a topic that exists; in place of one that cannot be opened stands the reason. */
  open(topic: Topic): (PartitionLog | BrokerError)[][] {
    return topic.partitions.map(({ replicas }, partition) =>
      replicas.map((brokerId) => openOrProblem(this.#brokers.get(brokerId), topic, partition, this.#env)),
    );
  }

  /**
   * Removes a deleted topic's folders, one between two turns; syncAbove() makes that durable. Throws DiskError; then it can be
   * tried again.
   */
  *remove(topic: Topic): Generator<void> {
    for (const { broker, partition, folder } of placesOf(topic, this.#brokers)) {
      const site = { brokerId: broker.brokerId, topic: topic.topic, partition };
      this.#env.faults.hit("topic.delete.before_remove", site);
      this.#reappear(folder);
      const owner = ownerOf(this.#env.disk, folder);
      if (owner !== null && owner !== topic.topicId) {
        // A metadata file from before the topic was made anew says that this one has to go: its records nobody deleted.
        this.#noteForeign(broker, [folder]);
      } else {
        this.#noteForeign(broker, removePartitionFolder(this.#env.disk, folder));
        this.#env.faults.hit("topic.delete.after_remove", site);
      }
      yield;
    }
  }

  /**
   * A folder that is gone already was removed by an attempt whose sync may have failed: then no later sync makes that durable. Made
   * anew, it is removed anew.
   */
  #reappear(folder: string): void {
    if (this.#env.disk.stat(folder) === null) this.#env.disk.makeFolder(folder);
  }

  /** Removes the empty folders of interrupted creations. Whatever else no one of `topics` explains is noted and stays. */
  clearLeftovers(topics: readonly Topic[]): void {
    const known = new Set(
      topics.flatMap((topic) => placesOf(topic, this.#brokers)).map(({ folder }) => folder),
    );
    for (const broker of this.#brokers.all()) {
      for (const { path, name, kind } of broker.names.entries()) {
        if (known.has(path)) continue;
        const isNamedLikeOurs = kind === "folder" && parsePartitionFolder(name) !== null;
        if (!isNamedLikeOurs || holdsRecords(this.#env.disk, path)) this.#noteForeign(broker, [path]);
        else this.#clearEmpty(broker, path);
      }
    }
  }

  #clearEmpty(broker: Broker, folder: string): void {
    const foreign = removePartitionFolder(this.#env.disk, folder);
    this.#noteForeign(broker, foreign);
    if (foreign.length > 0) return;
    this.#env.trace({ kind: "stray_file_removed", brokerId: broker.brokerId, path: folder });
  }

  /** Removes what an interrupted creation left. Throws STORAGE_ERROR, DiskError; what holds records stays, whoever it belongs to. */
  clear(topic: Topic, from = 0): void {
    for (const { folder, partition } of placesOf(topic, this.#brokers, from)) {
      if (this.#env.disk.stat(folder)?.kind !== "folder") continue;
      if (holdsRecords(this.#env.disk, folder)) {
        const name = partitionName({ topic: topic.topic, partition });
        throw storageError(`the place of ${name} holds records that no topic of the metadata explains`, {
          file: folder,
          expected: "an empty place: move it away, or choose another name",
        });
      }
      removePartitionFolder(this.#env.disk, folder);
    }
  }

  /** Makes durable which folders of the topic there are. Throws DiskError. */
  syncAbove(topic: Topic): void {
    for (const names of this.above(topic).keys()) names.sync();
  }

  /** The same off the thread, for work that began when `above` was noted. Rejects also with STORAGE_ERROR, where a sync for others has failed since. */
  async syncAboveLater(above: ReadonlyMap<BrokerNames, number>): Promise<void> {
    for (const [names, failedSyncs] of above) await names.syncSince(failedSyncs);
  }

  /** The names that lead to the topic's folders, each with how many syncs of them have failed so far. */
  above(topic: Topic): ReadonlyMap<BrokerNames, number> {
    return new Map(placesOf(topic, this.#brokers).map(({ broker: { names } }) => [names, names.failedSyncs]));
  }

  #noteForeign(broker: Broker, paths: readonly string[]): void {
    for (const path of paths)
      this.#env.trace({ kind: "foreign_file_ignored", brokerId: broker.brokerId, path });
  }
}

/** The log of one copy, or why it cannot be opened. */
export function openOrProblem(
  broker: Broker,
  topic: Topic,
  partition: number,
  env: Env,
): PartitionLog | BrokerError {
  try {
    return broker.openLog(topic, partition, { create: false });
  } catch (problem) {
    if (!(problem instanceof BrokerError)) throw problem;
    const place = { brokerId: broker.brokerId, topic: topic.topic, partition };
    env.trace({ kind: "log_offline", ...place, problem: problem.message });
    return problem;
  }
}

function placesOf({ topic, partitions }: Topic, brokers: Brokers, from = 0): Place[] {
  return partitions.slice(from).flatMap(({ replicas }, index) =>
    replicas.map((brokerId) => {
      const partition = from + index;
      const broker = brokers.get(brokerId);
      return { broker, topic, partition, folder: broker.folderOf({ topic, partition }) };
    }),
  );
}
