/** A producer of transactions in a test world, and what readers see of them. */
import { decodeRecords, encodeBatch, readBatchHeader, splitFrames } from "@minikafka/record";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { ClusterConfig } from "../src/cluster/config.ts";
import type { Env } from "../src/env/env.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { partitionName, type TopicPartition } from "../src/replica/topic-partition.ts";
import { openCluster } from "./cluster-world.ts";
import { offsetOf } from "./offsets-world.ts";

export const TRANSACTIONS_TOPIC = "__transaction_state";
export const A: TopicPartition = { topic: "a", partition: 0 };
export const B: TopicPartition = { topic: "b", partition: 0 };

export interface TransactionsOptions {
  /** Default: one. */
  readonly brokers?: number;
  readonly config?: Partial<ClusterConfig>;
}

/** A cluster with the topics a and b on all brokers, and one partition of each internal topic. */
export async function openTransactions(
  env: Env,
  { brokers = 1, config = {} }: TransactionsOptions = {},
): Promise<BrokerCluster> {
  const brokerIds = Array.from({ length: brokers }, (_, index) => index + 1);
  const cluster = await openCluster(env, {
    brokerIds,
    transactionsTopicPartitions: 1,
    offsetsTopicPartitions: 1,
    ...config,
  });
  for (const topic of ["a", "b"])
    if (!cluster.hasTopic(topic)) cluster.createTopic({ topic, partitions: 1, replicationFactor: brokers });
  return cluster;
}

/** One instance. It counts its sequences, and goes on with the identity that it was told last. */
export class TransactionalProducer {
  readonly transactionalId: string;
  cluster: BrokerCluster;
  identity: ProducerIdentity = { producerId: -1, producerEpoch: -1 };
  readonly #sequences = new Map<string, number>();

  constructor(cluster: BrokerCluster, transactionalId = "billing") {
    this.cluster = cluster;
    this.transactionalId = transactionalId;
  }

  get caller() {
    return { transactionalId: this.transactionalId, ...this.identity };
  }

  /** As a new instance, or, with `current`, as one that gives back what it has. */
  async init(options: { timeoutMs?: number; current?: ProducerIdentity } = {}): Promise<this> {
    const { transactionalId } = this;
    this.#adopt(await this.cluster.transactions.init({ transactionalId, ...options }));
    return this;
  }

  async begin(): Promise<this> {
    await this.cluster.transactions.begin(this.caller);
    return this;
  }

  /** One batch; resolves with its base offset. */
  async send(place: TopicPartition, ...values: string[]): Promise<number> {
    const { transactionalId } = this;
    const sent = await this.cluster.transactions.append(place, this.batch(place, ...values), {
      transactionalId,
    });
    return sent.baseOffset;
  }

  /** The batch that comes next for `place`; `value` may be `key=value`. */
  batch(place: TopicPartition, ...values: string[]): Buffer {
    const name = partitionName(place);
    const baseSequence = this.#sequences.get(name) ?? 0;
    this.#sequences.set(name, baseSequence + values.length);
    return transactionalBatch(this.identity, baseSequence, values);
  }

  /** `a:0=5`, as a consumer that is no member. */
  async sendOffsets(groupId: string, ...offsets: string[]): Promise<void> {
    const request = { ...this.caller, groupId, member: null, offsets: offsets.map(offsetOf) };
    await this.cluster.transactions.sendOffsets(request);
  }

  async commit(): Promise<this> {
    return this.#end(true);
  }

  async abort(): Promise<this> {
    return this.#end(false);
  }

  /** The end, without taking its answer over. */
  end(commit: boolean, caller = this.caller): Promise<ProducerIdentity> {
    return this.cluster.transactions.end({ ...caller, commit });
  }

  async #end(commit: boolean): Promise<this> {
    this.#adopt(await this.end(commit));
    return this;
  }

  #adopt(identity: ProducerIdentity): void {
    this.identity = identity;
    this.#sequences.clear();
  }
}

export function transactionalBatch(
  identity: ProducerIdentity,
  baseSequence: number,
  values: readonly string[],
): Buffer {
  const records = values.map((text) => {
    const [key, value] = text.includes("=") ? text.split("=", 2) : [null, text];
    return {
      key: key === null ? null : Buffer.from(key ?? ""),
      value: Buffer.from(value ?? ""),
      timestampMs: 0,
      headers: [],
    };
  });
  return encodeBatch({ records, ...identity, baseSequence, transactional: true });
}

/** What a reader of committed records sees of a partition, in order, as a consumer reads it. */
export function committedIn(cluster: BrokerCluster, place: TopicPartition): string[] {
  return committedRecords(cluster, place).map(({ value }) => value);
}

export function committedRecords(
  cluster: BrokerCluster,
  place: TopicPartition,
  options: { readonly fromOffset?: number; readonly bytesMax?: number } = {},
): { readonly offset: number; readonly value: string }[] {
  const records: { offset: number; value: string }[] = [];
  const isolation = "read_committed" as const;
  const end = cluster.visibleEnd(place, isolation);
  const { fromOffset = cluster.listOffsets(place, -2).offset ?? 0, bytesMax = 1 << 20 } = options;
  let offset = fromOffset;
  while (offset < end) {
    const fetched = cluster.fetch(place, offset, { bytesMax, isolation });
    for (const frame of splitFrames(fetched.batches)) {
      const { baseOffset, producerId, control, transactional } = readBatchHeader(frame);
      const isAborted = fetched.abortedTransactions.some(
        (aborted) =>
          aborted.producerId === producerId &&
          baseOffset >= aborted.firstOffset &&
          baseOffset < aborted.lastOffset,
      );
      if (control !== null || (transactional && isAborted)) continue;
      for (const record of decodeRecords(frame))
        if (record.offset >= offset)
          records.push({ offset: record.offset, value: Buffer.from(record.value ?? []).toString() });
    }
    offset = fetched.nextOffset;
  }
  return records;
}

/** Everything in the leader's log, in order: `x,y` for a batch, `commit` and `abort` for markers. */
export function logOf(cluster: BrokerCluster, place: TopicPartition): string[] {
  const log = cluster.replicaSet(place).leaderLog;
  const seen: string[] = [];
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { control } = readBatchHeader(frame);
      const values = decodeRecords(frame).map(({ value }) => Buffer.from(value ?? []).toString());
      seen.push(control ?? values.join());
    }
    offset = nextOffset;
  }
  return seen;
}

/** `ongoing a-0,b-0`: what the coordinator shows of an id. */
export async function stateOf(cluster: BrokerCluster, transactionalId = "billing"): Promise<string> {
  const { state, partitions } = await cluster.transactions.describe(transactionalId);
  return [state, ...(partitions.length > 0 ? [partitions.map(partitionName).join()] : [])].join(" ");
}
