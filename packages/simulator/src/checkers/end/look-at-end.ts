/** Looks at a whole cluster. */
import type { BrokerCluster, TopicPartition } from "@minikafka/core";
import { decodeRecords, readBatchHeader, splitFrames } from "@minikafka/record";
import type { ReadableLog } from "../state/log-mirror.ts";
import type { EndGroup, EndLook, EndPartition, EndTransaction, StandingRecord } from "./end-look.ts";

const BYTES_MAX = 1 << 20;

/** Rejects as the cluster does where it cannot be asked. */
export async function lookAtEnd(cluster: BrokerCluster): Promise<EndLook> {
  const partitions: EndPartition[] = [];
  for (const { topic, partitions: count } of cluster.listTopics())
    for (let partition = 0; partition < count; partition++)
      partitions.push(partitionOf(cluster, { topic, partition }));
  const { groups } = await cluster.groups.list();
  const described: EndGroup[] = [];
  for (const { groupId, members } of groups) if (members > 0) described.push(await groupOf(cluster, groupId));
  const { transactions } = await cluster.transactions.list();
  const looked = await Promise.all(
    transactions.map(({ transactionalId }) => transactionOf(cluster, transactionalId)),
  );
  return { partitions, groups: described, transactions: looked };
}

function partitionOf(cluster: BrokerCluster, place: TopicPartition): EndPartition {
  const set = cluster.replicaSet(place);
  const policy = cluster.describeConfig(place.topic).find(({ name }) => name === "cleanup_policy");
  return {
    place: nameOf(place),
    leaderId: set.leaderId,
    replicaIds: set.replicas,
    inSyncReplicas: set.inSyncReplicas,
    highWatermark: set.highWatermark,
    lastStableOffset: set.lastStableOffset,
    isCompacted: String(policy?.value ?? "").includes("compact"),
    replicas: set.copies
      .filter(({ isOnline }) => isOnline)
      .map(({ brokerId, log }) => {
        const { logStartOffset, logEndOffset } = log;
        return { brokerId, logStartOffset, logEndOffset, records: recordsIn(log) };
      }),
  };
}

async function groupOf(cluster: BrokerCluster, groupId: string): Promise<EndGroup> {
  const { state, members } = await cluster.groups.describe(groupId);
  return {
    groupId,
    state,
    members: members.map(({ memberId, topics, assignment, revoking }) => ({
      memberId,
      topics,
      assignment: assignment.map(nameOf),
      revoking: revoking.map(nameOf),
    })),
  };
}

async function transactionOf(cluster: BrokerCluster, transactionalId: string): Promise<EndTransaction> {
  const { state, startedMs, timeoutMs } = await cluster.transactions.describe(transactionalId);
  const isOverdue = startedMs !== null && cluster.env.clock.nowMs() - startedMs > timeoutMs;
  return { transactionalId, state, isOverdue };
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

type Undecided = Omit<StandingRecord, "fate"> & { fate: StandingRecord["fate"] };

function recordsIn(log: ReadableLog): StandingRecord[] {
  const records: Undecided[] = [];
  const open = new Map<number, Undecided[]>();
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(offset, { bytesMax: BYTES_MAX, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const { producerId, control, transactional } = readBatchHeader(frame);
      if (control !== null) {
        for (const record of open.get(producerId) ?? [])
          record.fate = control === "commit" ? "committed" : "aborted";
        open.delete(producerId);
        continue;
      }
      const found = decodeRecords(frame).map(({ key, value, headers, offset: at }): Undecided => {
        const content = [key, value, ...headers.map((header) => header.value)].map(textOf).join(" ");
        const fate = transactional ? "open" : "plain";
        return {
          offset: at,
          key: key === null ? null : textOf(key),
          isTombstone: value === null,
          content,
          fate,
        };
      });
      records.push(...found);
      if (transactional) open.set(producerId, [...(open.get(producerId) ?? []), ...found]);
    }
    if (nextOffset <= offset) break;
    offset = nextOffset;
  }
  return records;
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? "null" : Buffer.from(bytes).toString("latin1");
}
