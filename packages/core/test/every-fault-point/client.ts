/** What clients ask of a life, each told to the witness before it is asked and after it was answered. Everything bears being repeated. */
import { encodeBatch } from "@minikafka/record";
import type { BrokerCluster } from "../../src/cluster/cluster.ts";
import type { TopicRequest } from "../../src/cluster/topic-request.ts";
import { BrokerError } from "../../src/errors.ts";
import type { Acks } from "../../src/replica/acknowledgement.ts";
import { partitionName, type TopicPartition } from "../../src/replica/topic-partition.ts";
import { transactionalBatch } from "../transactional-producer.ts";
import type { FaultLife } from "./life.ts";

export interface SendOptions {
  readonly acks?: Acks;
  readonly key?: string;
}

export async function create(life: FaultLife, request: TopicRequest, { later = false } = {}): Promise<void> {
  const { topic, partitions } = request;
  await life.step(`create ${topic}`, async (cluster) => {
    life.witness.topic(topic, "unknown");
    if (!cluster.hasTopic(topic)) {
      if (later) await cluster.createTopicLater(request);
      else cluster.createTopic(request);
    }
    life.witness.topic(topic, "there", partitions);
  });
}

export async function remove(life: FaultLife, topic: string): Promise<void> {
  await life.step(`delete ${topic}`, async (cluster) => {
    life.witness.topic(topic, "unknown");
    if (cluster.hasTopic(topic)) await cluster.deleteTopicLater(topic);
    life.witness.topic(topic, "gone");
  });
}

export async function grow(life: FaultLife, topic: string, partitions: number): Promise<void> {
  await life.step(`grow ${topic}`, async (cluster) => {
    if (cluster.describeTopic(topic).partitions < partitions) await cluster.growTopic(topic, partitions);
    life.witness.topic(topic, "there", partitions);
  });
}

export async function send(
  life: FaultLife,
  place: TopicPartition,
  value: string,
  { acks = "all", key }: SendOptions = {},
): Promise<void> {
  const name = partitionName(place);
  const { witness } = life;
  await life.step(`send ${value}`, async (cluster) => {
    witness.asked({ place: name, key: key ?? null, value, acks, isIdempotent: false, transaction: null });
    const record = { key: key === undefined ? null : Buffer.from(key), value: Buffer.from(value) };
    const records = [{ ...record, timestampMs: life.clock.nowMs(), headers: [] }];
    const { leaderEpoch } = cluster.replicaSet(place);
    try {
      const { baseOffset } = await cluster.appendBatch(place, encodeBatch({ records }), { acks });
      witness.acknowledged(value, baseOffset, leaderEpoch);
    } catch (problem) {
      if (problem instanceof BrokerError && problem.code === "STORAGE_ERROR") witness.refused(value);
      throw problem;
    }
  });
}

/** With its sequence, so that each value is there once however often it is sent. */
export class IdempotentSender {
  readonly #life: FaultLife;
  #producerId = -1;
  #sequence = 0;

  constructor(life: FaultLife) {
    this.#life = life;
  }

  async init(): Promise<void> {
    await this.#life.step("init a producer", async (cluster) => {
      const { producerId } = cluster.initProducer({});
      this.#life.witness.producerId(producerId);
      this.#producerId = producerId;
      this.#sequence = 0;
    });
  }

  async send(place: TopicPartition, value: string): Promise<void> {
    const { witness } = this.#life;
    const baseSequence = this.#sequence++;
    const sent = { place: partitionName(place), key: null, value, acks: "all", isIdempotent: true } as const;
    await this.#life.step(`send ${value} once`, async (cluster) => {
      witness.asked({ ...sent, transaction: null });
      const records = [
        { key: null, value: Buffer.from(value), timestampMs: this.#life.clock.nowMs(), headers: [] },
      ];
      const frame = encodeBatch({ records, producerId: this.#producerId, producerEpoch: 0, baseSequence });
      const { leaderEpoch } = cluster.replicaSet(place);
      const { baseOffset } = await cluster.appendBatch(place, frame, { acks: "all" });
      witness.acknowledged(value, baseOffset, leaderEpoch);
    });
  }
}

export async function commit(life: FaultLife, group: string, offset: number): Promise<void> {
  const offsets = [{ topic: "plain", partition: 0, offset, metadata: null }];
  await life.step(`commit ${offset} of ${group}`, async (cluster) => {
    life.witness.commits(group, offset, false);
    await cluster.groups.commit({ groupId: group, member: null, offsets });
    life.witness.commits(group, offset, true);
  });
}

/** A whole transaction, from a new instance on, as often as it takes: each try has a name of its own. */
export async function transact(
  life: FaultLife,
  name: string,
  end: "commit" | "abort" | "none",
  places: readonly TopicPartition[],
): Promise<void> {
  let tries = 0;
  await life.step(`${end} ${name}`, async (cluster) => {
    await new OneTransaction(life, cluster, `${name}.${++tries}`).run(end, places);
  });
}

class OneTransaction {
  readonly #life: FaultLife;
  readonly #cluster: BrokerCluster;
  readonly #name: string;

  constructor(life: FaultLife, cluster: BrokerCluster, name: string) {
    this.#life = life;
    this.#cluster = cluster;
    this.#name = name;
  }

  async run(end: "commit" | "abort" | "none", places: readonly TopicPartition[]): Promise<void> {
    const { transactions } = this.#cluster;
    const { witness } = this.#life;
    const transactionalId = "billing";
    const identity = await transactions.init({ transactionalId, timeoutMs: 60_000 });
    const caller = { transactionalId, ...identity };
    witness.transaction(this.#name, "none");
    await transactions.begin(caller);
    for (const place of places) {
      const sent = { place: partitionName(place), key: null, acks: "all", isIdempotent: true } as const;
      const value = `${this.#name}@${partitionName(place)}`;
      witness.asked({ ...sent, value, transaction: this.#name });
      await transactions.append(place, transactionalBatch(identity, 0, [value]), { transactionalId });
    }
    if (end === "none") return;
    witness.transaction(this.#name, end);
    await transactions.end({ ...caller, commit: end === "commit" });
    witness.transaction(this.#name, end, true);
  }
}

/** As commit(), in a transaction that commits nothing else. */
export async function commitInTransaction(life: FaultLife, group: string, offset: number): Promise<void> {
  const transactionalId = "forwarding";
  const offsets = [{ topic: "plain", partition: 0, offset, metadata: null }];
  await life.step(`commit ${offset} of ${group} in a transaction`, async ({ transactions }) => {
    const identity = await transactions.init({ transactionalId, timeoutMs: 60_000 });
    const caller = { transactionalId, ...identity };
    await transactions.begin(caller);
    await transactions.sendOffsets({ ...caller, groupId: group, member: null, offsets });
    life.witness.commits(group, offset, false);
    await transactions.end({ ...caller, commit: true });
    life.witness.commits(group, offset, true);
  });
}
