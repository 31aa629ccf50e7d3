/**
 * Looks at the partitions of a running cluster.
 *
 * Owns: what was read of each replica's log, and what the trace has told of changes to it. Never: a word that changes anything.
 */
import {
  type BrokerCluster,
  BrokerError,
  CrashSignal,
  type TopicPartition,
  type TraceEvent,
} from "@minikafka/core";
import { mapIn } from "../facts/judged-history.ts";
import { LogMirror, type ReadableLog } from "./log-mirror.ts";
import type { PartitionLook, ReplicaLook } from "./partition-look.ts";

/** After these a log is to be read anew. */
const CHANGES: ReadonlySet<TraceEvent["kind"]> = new Set([
  "truncated",
  "restarted",
  "compacted",
  "recovered",
  "renewed",
  "append_undone",
]);

interface Mirrored {
  readonly mirror: LogMirror;
  /** Which log it mirrors. */
  log: ReadableLog | null;
  isChanged: boolean;
}

type ReplicaSet = ReturnType<BrokerCluster["replicaSet"]>;
type Copy = ReplicaSet["copies"][number];

export class ClusterLooks {
  readonly #mirrors = new Map<string, Map<number, Mirrored>>();
  readonly #inSync = new Map<string, readonly number[]>();
  readonly #unclean = new Map<string, number>();

  /** What the cluster says while it does it. */
  traced(event: TraceEvent): void {
    if (!("topic" in event && "partition" in event)) return;
    const place = `${event.topic}/${event.partition}`;
    if (CHANGES.has(event.kind) && "brokerId" in event)
      this.#mirrored(place, event.brokerId).isChanged = true;
    if (event.kind === "isr_changed") this.#inSync.set(place, event.to);
    if (event.kind !== "leader_changed" || event.leaderId === null) return;
    if (this.#inSync.get(place)?.includes(event.leaderId) === false)
      this.#unclean.set(place, (this.#unclean.get(place) ?? 0) + 1);
  }

  /** Every log is read anew at the next look. */
  forget(): void {
    for (const mirrors of this.#mirrors.values())
      for (const mirrored of mirrors.values()) mirrored.isChanged = true;
  }

  /** `life`: which process it is. `null` when the partition is not there. */
  lookAt(cluster: BrokerCluster, { topic, partition }: TopicPartition, life: number): PartitionLook | null {
    if (cluster.state !== "running" || !cluster.hasTopic(topic)) return null;
    const { partitions } = cluster.describeTopic(topic);
    if (partition >= partitions) return null;
    const set = cluster.replicaSet({ topic, partition });
    const place = `${topic}/${partition}`;
    this.#inSync.set(place, set.inSyncReplicas);
    return {
      place,
      life,
      leaderId: set.leaderId,
      leaderEpoch: set.leaderEpoch,
      replicaIds: set.replicas,
      inSyncReplicas: set.inSyncReplicas,
      highWatermark: set.highWatermark,
      lastStableOffset: set.lastStableOffset,
      isCompacted: isCompacted(cluster, topic),
      uncleanPromotions: this.#unclean.get(place) ?? 0,
      replicas: set.copies.flatMap((copy) => this.#replica(place, copy) ?? []),
    };
  }

  #replica(place: string, copy: Copy): ReplicaLook | null {
    if (!copy.isOnline) return null;
    const { brokerId, log, highWatermark, isBeingCut } = copy;
    const mirrored = this.#mirrored(place, brokerId);
    try {
      mirrored.mirror.follow(log, mirrored.isChanged || mirrored.log !== log);
    } catch (problem) {
      // What cannot be read is not looked at; that it is served to nobody else is for readers to see.
      if (problem instanceof BrokerError || problem instanceof CrashSignal) return null;
      throw problem;
    }
    mirrored.log = log;
    mirrored.isChanged = false;
    const { logStartOffset, logEndOffset, flushedOffset, leaderEpochs: epochs } = log;
    const { mirror } = mirrored;
    return {
      brokerId,
      logStartOffset,
      logEndOffset,
      flushedOffset,
      highWatermark,
      isBeingCut,
      epochs,
      mirror,
    };
  }

  #mirrored(place: string, brokerId: number): Mirrored {
    const mirrors = mapIn(this.#mirrors, place);
    const known = mirrors.get(brokerId) ?? { mirror: new LogMirror(), log: null, isChanged: false };
    mirrors.set(brokerId, known);
    return known;
  }
}

function isCompacted(cluster: BrokerCluster, topic: string): boolean {
  const policy = cluster.describeConfig(topic).find(({ name }) => name === "cleanup_policy");
  return String(policy?.value ?? "").includes("compact");
}
