/**
 * Topics, groups, offsets, transactions, and looking inside. Every call is one request, but for `describeTopic`, which looks at each partition,
 * `groupLag`, which looks at the ends of those that a group reads, `abortTransaction`, which looks what is open, and those that take
 * several topics or groups.
 */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import { type CommittedOffset, commitOffsets, type OffsetToCommit } from "./consumer/group/offset-commits.ts";
import { type OffsetPlace, timestampOf } from "./consumer/offset-lookup.ts";
import { asMiniKafkaError, type MiniKafkaError } from "./errors.ts";
import {
  type DeletedOffset,
  deleteOffsets,
  describeGroup,
  type FetchOffsetsOptions,
  fetchOffsets,
  type GroupDescription,
  type GroupPartitionLag,
  groupLag,
  type ListedGroup,
  listGroups,
} from "./group-admin.ts";
import type { CallOptions, Session } from "./session.ts";
import { requirePlace, requireReplica, type TopicPartition } from "./topic-partition.ts";
import {
  type AbortTransactionOptions,
  abortTransaction,
  describeTransaction,
  type ListedTransaction,
  type ListTransactionsOptions,
  listTransactions,
  type TransactionDescription,
} from "./transaction-admin.ts";
import { fieldNames, requireArray, requireOptions } from "./usage.ts";

/** A topic to be made. `config` has the broker's names: `{ segment_bytes: 65536 }`. */
export interface NewTopic {
  readonly topic: string;
  /** Default 1. */
  readonly partitions?: number | undefined;
  /** Default 1. */
  readonly replicationFactor?: number | undefined;
  readonly config?: RequestFields<"create_topic">["config"];
}

/** A topic by name, with how many partitions it has. */
export type ListedTopic = CamelCased<ParsedResponse<"list_topics">["topics"][number]>;
/** Who leads each partition of a topic, in which epoch, and who is in sync. */
export type TopicMetadataView = CamelCased<ParsedResponse<"metadata">>;
/** One partition of them. */
export type PartitionMetadataView = TopicMetadataView["partitions"][number];
/** What a partition's leader knows of it: marks, replicas, segments, epochs, producers. */
export type PartitionDescription = CamelCased<ParsedResponse<"describe_partition">>;
/** A batch as it lies in a file; one that is damaged says what is wrong with it. */
export type DumpedBatch = CamelCased<Omit<ParsedResponse<"dump_log">["batches"][number], "records">>;
/** Batches as they lie in the files of one replica, and where to go on. */
export type LogDump = CamelCased<Omit<ParsedResponse<"dump_log">, "batches">> & {
  readonly batches: readonly DumpedBatch[];
};
/** The brokers, the clock and the dials of a cluster. */
export type ClusterDescription = CamelCased<ParsedResponse<"describe_cluster">>;

/** The new leader, its epoch, and who is in sync then. */
export type Promotion = CamelCased<ParsedResponse<"promote">>;
/** What a follower cut and copied to be in sync again. */
export type Rejoining = CamelCased<ParsedResponse<"rejoin">>;

/** A partition's metadata with its leader's description, or with why that could not be had. */
export type DescribedPartition = PartitionMetadataView &
  (
    | { readonly description: PartitionDescription; readonly error: null }
    | { readonly description: null; readonly error: MiniKafkaError }
  );

/** A topic with what is known of each of its partitions. */
export interface TopicDescription {
  readonly topic: string;
  readonly partitions: readonly DescribedPartition[];
}

/** A setting of a topic: its value, and whether the topic says so itself. */
export type ConfigEntry = CamelCased<ParsedResponse<"describe_config">["config"][number]>;
/** New values by the broker's names; `null` takes the topic's own value back, so that the default holds. */
export type ConfigChanges = RequestFields<"alter_config">["config"];

/** Which offset of a partition is asked for. */
export interface OffsetQuery extends TopicPartition {
  /** "latest" is the end of what is visible; a time finds the first record at or after it. */
  readonly at: OffsetPlace;
  readonly isolation?: "read_uncommitted" | "read_committed" | undefined;
}

/** Which records of a partition are to be deleted. */
export interface RecordDeletion extends TopicPartition {
  /** The first offset that stays; "highWatermark" keeps nothing that is visible now. */
  readonly beforeOffset: number | "highWatermark";
}

/** Which batches are to be shown. */
export interface LogDumpQuery extends TopicPartition {
  /** Whose replica. Default: the leader's. */
  readonly brokerId?: number | undefined;
  /** Default: the log start offset. */
  readonly offset?: number | undefined;
  /** Default 100. */
  readonly maxBatches?: number | undefined;
  /** Whether the entries of the indexes come that lead to these batches. Default false. */
  readonly indexes?: boolean | undefined;
}

/** Exactly one of the two. */
export type LogFindQuery = TopicPartition &
  (
    | { readonly offset: number; readonly timestampMs?: undefined }
    | { readonly timestampMs: number; readonly offset?: undefined }
  );
/** Where an offset lies in the files, and the steps of the way to it. */
export type LogFind = CamelCased<ParsedResponse<"find_in_log">>;

/** An offset that was asked for. */
export interface FoundOffset {
  /** `null` when no visible record is that late. */
  readonly offset: number | null;
  /** The found record's time; `null` for "earliest" and "latest". */
  readonly timestampMs: number | null;
}

/** Administration of topics, groups, transactions and brokers (Kafka: Admin). Made by `client.admin()`; it holds nothing and needs no close. */
export class Admin {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** When it resolves, the topic survives a crash and can be produced to. */
  async createTopic(topic: NewTopic, options?: CallOptions): Promise<void> {
    requireOptions("a topic", topic, NEW_TOPIC_FIELDS);
    const { partitions = 1, replicationFactor, config } = topic;
    const fields = {
      topic: topic.topic,
      partitions,
      ...(replicationFactor === undefined ? {} : { replication_factor: replicationFactor }),
      ...(config === undefined ? {} : { config }),
    };
    await this.#session.call("create_topic", fields, options);
  }

  /**
   * Gives the topic partitions, up to `partitions` in all (Kafka: createPartitions). A key may go to another partition from
   * then on; this SDK's producers find out within five minutes. Fails with INVALID_CONFIG when there are as many already.
   */
  async createPartitions(topic: string, partitions: number, options?: CallOptions): Promise<void> {
    await this.#session.call("create_partitions", { topic, partitions }, options);
  }

  /** Deletes the topic with all its records. */
  async deleteTopic(topic: string, options?: CallOptions): Promise<void> {
    await this.#session.call("delete_topic", { topic }, options);
  }

  /** All topics by name. */
  async listTopics(options?: CallOptions): Promise<readonly ListedTopic[]> {
    return camelCased((await this.#session.call("list_topics", {}, options)).topics);
  }

  /** Every setting of the topic: its value, and whether the topic says so itself. */
  async describeConfig(topic: string, options?: CallOptions): Promise<readonly ConfigEntry[]> {
    return camelCased((await this.#session.call("describe_config", { topic }, options)).config);
  }

  /**
   * Changes the settings that are named, all or none, and leaves the others (Kafka: incrementalAlterConfigs, KIP-339). When
   * it resolves, they hold and survive a crash. Fails with INVALID_CONFIG, which names the key.
   */
  async alterConfig(topic: string, changes: ConfigChanges, options?: CallOptions): Promise<void> {
    await this.#session.call("alter_config", { topic, config: changes }, options);
  }

  /** Who leads each partition, in which epoch, and who is in sync. */
  async metadata(topic: string, options?: CallOptions): Promise<TopicMetadataView> {
    return camelCased(await this.#session.call("metadata", { topic }, options));
  }

  /** The topic's metadata and what each partition's leader knows. A partition that cannot be described says why. */
  async describeTopic(topic: string, options: CallOptions = {}): Promise<TopicDescription> {
    requireCallOptions("describeTopic", options);
    const { partitions } = await this.metadata(topic, options);
    const described = partitions.map(async (metadata): Promise<DescribedPartition> => {
      try {
        const place = { topic, partition: metadata.partition };
        return { ...metadata, description: await this.describePartition(place, options), error: null };
      } catch (error) {
        return { ...metadata, description: null, error: asMiniKafkaError(error) };
      }
    });
    return { topic, partitions: await Promise.all(described) };
  }

  /** Several topics, in the order asked for. Fails when one of them does not exist. */
  async describeTopics(topics: readonly string[], options?: CallOptions): Promise<TopicDescription[]> {
    requireArray("topics", topics);
    return Promise.all(topics.map((topic) => this.describeTopic(topic, options)));
  }

  /** The first offset, the end of what is visible, or the first record of a time (Kafka: listOffsets). Fails with UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
  async listOffsets(query: OffsetQuery, options?: CallOptions): Promise<FoundOffset> {
    requirePlace("listOffsets({ topic, partition, at })", query);
    const { topic, partition, at, isolation = "read_uncommitted" } = query;
    const fields = { topic, partition, timestamp_ms: timestampOf(at), isolation };
    return camelCased(await this.#session.call("list_offsets", fields, options));
  }

  /**
   * Deletes the records below `beforeOffset`, for good (Kafka: deleteRecords, KIP-107). Resolves with the first offset that
   * is still there. A log that begins later already is left as it is.
   */
  async deleteRecords(request: RecordDeletion, options?: CallOptions): Promise<number> {
    requirePlace("deleteRecords({ topic, partition, beforeOffset })", request);
    const { topic, partition, beforeOffset } = request;
    const before_offset = beforeOffset === "highWatermark" ? -1 : beforeOffset;
    const fields = { topic, partition, before_offset };
    return (await this.#session.call("delete_records", fields, options)).log_start_offset;
  }

  /**
   * Marks, replicas, segments and epochs, as the partition's leader knows them. While nobody leads, `leaderId` is `null`, and so
   * are offsets that no replica in sync can tell.
   */
  async describePartition(place: TopicPartition, options?: CallOptions): Promise<PartitionDescription> {
    requirePlace("describePartition({ topic, partition })", place);
    const { topic, partition } = place;
    return camelCased(await this.#session.call("describe_partition", { topic, partition }, options));
  }

  /** Batches as they lie in the leader's files; damaged ones say what is wrong. Go on at its `nextOffset`. */
  async dumpLog(query: LogDumpQuery, options?: CallOptions): Promise<LogDump> {
    requireOptions("dumpLog", query, LOG_DUMP_FIELDS);
    const { topic, partition, brokerId, offset, maxBatches, indexes } = query;
    const fields = {
      topic,
      partition,
      ...(brokerId === undefined ? {} : { broker_id: brokerId }),
      ...(offset === undefined ? {} : { offset }),
      ...(maxBatches === undefined ? {} : { max_batches: maxBatches }),
      ...(indexes === undefined ? {} : { indexes }),
    };
    return camelCased(await this.#session.call("dump_log", fields, options));
  }

  /** Where an offset, or the first record of a time, lies in the leader's files, and the way to it. */
  async findInLog(query: LogFindQuery, options?: CallOptions): Promise<LogFind> {
    requirePlace("findInLog({ topic, partition, offset })", query);
    const { topic, partition, offset, timestampMs } = query;
    const sought = offset === undefined ? { timestamp_ms: timestampMs } : { offset };
    return camelCased(await this.#session.call("find_in_log", { topic, partition, ...sought }, options));
  }

  /**
   * Makes `brokerId` the partition's leader, under a new epoch; nothing else ever does. With `unclean` also one that is not in
   * sync, with the loss of what only others hold. Fails with NOT_IN_SYNC_REPLICA, BROKER_NOT_AVAILABLE.
   */
  async promote(
    place: TopicPartition,
    brokerId: number,
    asked: CallOptions & { readonly unclean?: boolean | undefined } = {},
  ): Promise<Promotion> {
    requireReplica("promote", place, brokerId);
    requireCallOptions("promote", asked, ["unclean"]);
    const { unclean = false, ...options } = asked;
    const { topic, partition } = place;
    const fields = { topic, partition, broker_id: brokerId, unclean };
    return camelCased(await this.#session.call("promote", fields, options));
  }

  /** Takes a follower out of the in-sync replicas, until it rejoins. Resolves with who is left. */
  async removeFromIsr(
    place: TopicPartition,
    brokerId: number,
    options?: CallOptions,
  ): Promise<readonly number[]> {
    requireReplica("removeFromIsr", place, brokerId);
    const { topic, partition } = place;
    const fields = { topic, partition, broker_id: brokerId };
    return (await this.#session.call("remove_from_isr", fields, options)).isr;
  }

  /** Lets a follower back in; one whose copy cannot be opened is fetched anew. */
  async rejoin(place: TopicPartition, brokerId: number, options?: CallOptions): Promise<Rejoining> {
    requireReplica("rejoin", place, brokerId);
    const { topic, partition } = place;
    const fields = { topic, partition, broker_id: brokerId };
    return camelCased(await this.#session.call("rejoin", fields, options));
  }

  /** Stops one broker of the process. Resolves with whether it ended cleanly. */
  async stopBroker(brokerId: number, options?: CallOptions): Promise<boolean> {
    return (await this.#session.call("stop_broker", { broker_id: brokerId }, options)).clean;
  }

  /** Starts it again. Resolves with whether it had ended cleanly. */
  async startBroker(brokerId: number, options?: CallOptions): Promise<boolean> {
    return (await this.#session.call("start_broker", { broker_id: brokerId }, options)).clean;
  }

  /** All groups by name, or none: `call("list_groups", {})` has those that can be read now, and what cannot. */
  async listGroups(options?: CallOptions): Promise<readonly ListedGroup[]> {
    return listGroups(this.#session, options);
  }

  /** Its state, its members with what each has, and why it was rebalanced last. Fails with UNKNOWN_GROUP. */
  describeGroup(groupId: string, options?: CallOptions): Promise<GroupDescription> {
    return describeGroup(this.#session, groupId, options);
  }

  /** Several groups, in the order asked for. Fails when one of them does not exist. */
  async describeGroups(groupIds: readonly string[], options?: CallOptions): Promise<GroupDescription[]> {
    requireArray("groupIds", groupIds);
    return Promise.all(groupIds.map((groupId) => this.describeGroup(groupId, options)));
  }

  /** Forgets a group and all that it has committed. Fails with UNKNOWN_GROUP, and with GROUP_NOT_EMPTY while it has members. */
  async deleteGroup(groupId: string, options?: CallOptions): Promise<void> {
    await this.#session.call("delete_group", { group_id: groupId }, options);
  }

  /**
   * Forgets what a group has committed for these partitions (more than 10,000 in several requests); one entry for each, in this order, with
   * the error that keeps it: GROUP_SUBSCRIBED_TO_TOPIC while a member subscribes to its topic. Fails with UNKNOWN_GROUP, and with
   * GROUP_NOT_EMPTY for a group whose members are no consumers. Kafka: deleteConsumerGroupOffsets.
   */
  deleteOffsets(
    groupId: string,
    partitions: readonly TopicPartition[],
    options?: CallOptions,
  ): Promise<readonly DeletedOffset[]> {
    return deleteOffsets(this.#session, groupId, partitions, options);
  }

  /** What a group has committed. One that nobody knows has committed nothing. */
  fetchOffsets(groupId: string, options?: FetchOffsetsOptions): Promise<readonly CommittedOffset[]> {
    return fetchOffsets(this.#session, groupId, options);
  }

  /**
   * Says where a group goes on reading, all of the offsets or none (more than 10,000 in several requests); while it has members
   * only they may (UNKNOWN_MEMBER). When it resolves, they survive a crash.
   */
  commitOffsets(groupId: string, offsets: readonly OffsetToCommit[], options?: CallOptions): Promise<void> {
    return commitOffsets(this.#session, groupId, null, offsets, options);
  }

  /** How far a group is behind, partition by partition, and who has it. Fails with UNKNOWN_GROUP. */
  groupLag(groupId: string, options?: CallOptions): Promise<readonly GroupPartitionLag[]> {
    return groupLag(this.#session, groupId, options);
  }

  /** All transactional ids by name, with their states, or none: `call("list_transactions", {})` has those that can be read now. */
  listTransactions(options?: ListTransactionsOptions): Promise<readonly ListedTransaction[]> {
    return listTransactions(this.#session, options);
  }

  /** Its state, its producer, the partitions of its open transaction, how the last one ended. Fails with UNKNOWN_TRANSACTIONAL_ID. */
  describeTransaction(transactionalId: string, options?: CallOptions): Promise<TransactionDescription> {
    return describeTransaction(this.#session, transactionalId, options);
  }

  /**
   * Aborts the open transaction of an id, whoever has it open; that producer is told TRANSACTION_ABORTED and may go on with another
   * one. Resolves, when the abort is complete, with whether one was open. It looks which one is open first, and ends no later one;
   * with `producer` it means that one, and may be called again until it is answered. Fails with UNKNOWN_TRANSACTIONAL_ID.
   */
  abortTransaction(transactionalId: string, options?: AbortTransactionOptions): Promise<boolean> {
    return abortTransaction(this.#session, transactionalId, options);
  }

  /** The brokers, the clock and the dials. */
  async describeCluster(options?: CallOptions): Promise<ClusterDescription> {
    return camelCased(await this.#session.call("describe_cluster", {}, options));
  }
}

const NEW_TOPIC_FIELDS = fieldNames<NewTopic>({
  topic: true,
  partitions: true,
  replicationFactor: true,
  config: true,
});

const LOG_DUMP_FIELDS = fieldNames<LogDumpQuery>({
  topic: true,
  partition: true,
  brokerId: true,
  offset: true,
  maxBatches: true,
  indexes: true,
});
