/**
 * A topic comes, changes, and goes.
 *
 *   create: folders first, metadata second. In between it does not exist. What a crash leaves of it is empty, and is
 *           cleared when the data folder is opened again or the topic is created again.
 *   delete: metadata first, folders second. In between it is gone. What a crash leaves of it stands in the metadata as a
 *           deletion, and is finished when the data folder is opened again or the topic is created again.
 *   grow:   as create, for the partitions that it gains.
 *   alter:  metadata first, the open logs second, which only memory has to hear of.
 *
 * Invariant: replacing the metadata file (metadata-keeper.ts) is the one commit point.
 */

import { answeringForDisk, isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import { quoted } from "../quoted.ts";
import type { Brokers } from "./brokers.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { MetadataKeeper } from "./metadata-keeper.ts";
import type { PartitionTable } from "./partition-table.ts";
import { changedConfig, type ParsedChanges } from "./topic-config-change.ts";
import { TopicFolders } from "./topic-folders.ts";
import { grownTopic } from "./topic-growth.ts";
import { TopicRemovals } from "./topic-removals.ts";
import type { Topic, TopicCatalogue } from "./topics.ts";
import { TopicsBeingMade } from "./topics-being-made.ts";

export interface TopicChangesOptions {
  readonly keeper: MetadataKeeper;
  readonly brokers: Brokers;
  readonly table: PartitionTable;
  readonly reserve: DiskReserve;
}

export class TopicChanges {
  readonly #keeper: MetadataKeeper;
  readonly #brokers: Brokers;
  readonly #table: PartitionTable;
  readonly #reserve: DiskReserve;
  readonly #folders: TopicFolders;
  readonly #removals: TopicRemovals;
  readonly #env: Env;
  readonly #beingMade: TopicsBeingMade;

  constructor({ keeper, brokers, table, reserve }: TopicChangesOptions, env: Env) {
    this.#keeper = keeper;
    this.#brokers = brokers;
    this.#table = table;
    this.#reserve = reserve;
    const folders = new TopicFolders(brokers, env);
    this.#folders = folders;
    this.#removals = new TopicRemovals({ keeper, brokers, folders }, env);
    this.#beingMade = new TopicsBeingMade(folders, env);
    this.#env = env;
  }

  get catalogue(): TopicCatalogue {
    return this.#keeper.catalogue;
  }

  /** Finishes what a crash left, then opens every log. Throws DiskError; a log that cannot be opened is no reason. */
  recover(): void {
    for (const topic of this.#keeper.deletions) this.#removals.tryNow(topic);
    const topics = this.catalogue.list();
    this.#folders.clearLeftovers([...topics, ...this.#keeper.deletions]);
    for (const topic of topics) this.#table.add(topic, this.#folders.open(topic));
  }

  /** Makes a topic, durably. Throws STORAGE_ERROR; BROKER_FAILED when one of its brokers has failed, or nobody knows what the metadata says. */
  create(topic: Topic): void {
    this.#requireMakeable(topic);
    answeringForDisk(() => {
      this.#env.faults.hit("topic.create.before_folders", { topic: topic.topic });
      this.#removals.finishRivals(topic);
      const logs = this.#folders.make(topic);
      try {
        this.#complete(topic, logs);
      } catch (problem) {
        if (isRefusal(problem) && this.catalogue.get(topic.topic) === undefined) this.#folders.undo(topic);
        throw problem;
      }
    });
  }

  /**
   * The same in parts, with most of its syncs off the thread, so that others have their turn: until it resolves the topic does
   * not exist, and nobody else may make one of its name. Rejects as create() throws, and as `requireServing` does, which is asked before the topic exists.
   */
  async createLater(topic: Topic, requireServing: () => void): Promise<void> {
    this.#requireMakeable(topic);
    await this.#beingMade.make(topic, 0, {
      requireServing,
      begin: async () => {
        this.#env.faults.hit("topic.create.before_folders", { topic: topic.topic });
        await this.#removals.finishRivalsLater(topic, requireServing);
      },
      complete: () => {
        this.catalogue.requireRoom(topic.partitions.length, topic.partitions[0]?.replicas.length ?? 1);
        this.#requireRunning(topic);
        answeringForDisk(() => this.#complete(topic, this.#folders.take(topic)));
      },
      isThere: () => this.catalogue.get(topic.topic) !== undefined,
    });
  }

  /** See TopicsBeingMade.endOf. */
  makingOf(topic: string): Promise<void> | null {
    return this.#beingMade.endOf(topic);
  }

  /**
   * Gives a topic partitions up to `partitions` in all, durably: they are there when this resolves, and not before. Rejects
   * with INVALID_CONFIG, and as createLater() does; UNKNOWN_TOPIC when the topic is deleted meanwhile.
   */
  async growLater(before: Topic, partitions: number, requireServing: () => void): Promise<void> {
    const from = before.partitions.length;
    this.catalogue.requireRoomToGrow(before, partitions);
    const grown = grownTopic(before, partitions, this.#brokers.ids);
    const { topic } = before;
    this.#requireMakeable(grown);
    await this.#beingMade.make(grown, from, {
      requireServing,
      begin: async () => this.#env.faults.hit("topic.grow.before_folders", { topic }),
      complete: () => {
        const now = this.catalogue.require(topic);
        if (now.topicId !== before.topicId)
          throw new BrokerError(
            "UNKNOWN_TOPIC",
            `the topic ${quoted(topic)} was deleted and made anew meanwhile`,
          );
        this.catalogue.requireRoomToGrow(now, partitions);
        this.#requireRunning(grown);
        // What has changed meanwhile stands in `now`.
        const after = { ...now, partitions: [...now.partitions, ...grown.partitions.slice(from)] };
        answeringForDisk(() => {
          const logs = this.#folders.take(after, from);
          this.#env.faults.hit("topic.grow.after_folders", { topic });
          const topics = this.catalogue.list().map((each) => (each === now ? after : each));
          this.#keeper.commit({ topics }, () => {
            this.catalogue.replace(now, after);
            this.#table.grow(after, logs);
          });
          this.#env.trace({ kind: "topic_grown", topic, from, partitions });
          this.#env.faults.hit("topic.grow.after_metadata", { topic });
        });
      },
      isThere: () => (this.catalogue.get(topic)?.partitions.length ?? 0) > from,
    });
  }

  #requireMakeable(topic: Topic): void {
    this.#requireRunning(topic);
    this.#beingMade.requireNot(topic.topic);
  }

  #requireRunning({ partitions }: Topic): void {
    this.#keeper.requireWritable();
    for (const brokerId of new Set(partitions.flatMap(({ replicas }) => replicas)))
      this.#brokers.get(brokerId).requireRunning();
  }

  /** Its folders are durable; from the replacement of the metadata on it exists. */
  #complete(topic: Topic, logs: PartitionLog[][]): void {
    this.#env.faults.hit("topic.create.after_folders", { topic: topic.topic });
    this.#keeper.commit({ topics: [...this.catalogue.list(), topic] }, () => {
      this.catalogue.add(topic);
      this.#table.add(topic, logs);
    });
    this.#env.trace({
      kind: "topic_created",
      topic: topic.topic,
      partitions: topic.partitions.length,
      replicationFactor: topic.partitions[0]?.replicas.length ?? 0,
    });
    this.#env.faults.hit("topic.create.after_metadata", { topic: topic.topic });
  }

  /**
   * Deletes a topic, durably, also on a full disk. Its folders follow now or, where the disk refuses or a broker has failed,
   * later. Throws STORAGE_ERROR; BROKER_FAILED when nobody knows what the metadata says.
   */
  delete(topic: Topic): void {
    this.#commitDeletion(topic);
    this.#removals.tryNow(topic);
    this.#reserve.fill();
  }

  /**
   * The same with the folders removed in parts, so that others have their turn: the topic is gone from this call on, and its
   * folders are when it resolves, or as delete() has it. When the cluster ends meanwhile, the next opening removes the rest.
   */
  async deleteLater(topic: Topic, requireServing: () => void): Promise<void> {
    this.#commitDeletion(topic);
    if (await this.#removals.tryLater(topic, requireServing)) this.#reserve.fill();
  }

  #commitDeletion(topic: Topic): void {
    this.#keeper.requireWritable();
    answeringForDisk(() => {
      this.#env.faults.hit("topic.delete.before_metadata", { topic: topic.topic });
      const topics = this.catalogue.list().filter((each) => each !== topic);
      const deletions = [...this.#keeper.deletions, topic];
      const remove = () => {
        this.catalogue.remove(topic);
        this.#table.remove(topic);
      };
      this.#reserve.spend(() => this.#keeper.commit({ topics, deletions }, remove));
    });
    this.#env.trace({ kind: "topic_deleted", topic: topic.topic, partitions: topic.partitions.length });
  }

  /** Changes a topic's settings, durably; what is open goes by them when this returns. Throws as delete() does. */
  alter(topic: Topic, changes: ParsedChanges): void {
    this.#keeper.requireWritable();
    const altered = { ...topic, config: changedConfig(topic.config, changes) };
    answeringForDisk(() => {
      this.#env.faults.hit("topic.alter.before_metadata", { topic: topic.topic });
      const topics = this.catalogue.list().map((each) => (each === topic ? altered : each));
      this.#keeper.commit({ topics }, () => {
        this.catalogue.replace(topic, altered);
        this.#table.configure(altered);
      });
      this.#env.trace({ kind: "config_altered", topic: topic.topic, changes });
      this.#env.faults.hit("topic.alter.after_metadata", { topic: topic.topic });
    });
  }
}
