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
import type { InSyncCount } from "./enough-in-sync.ts";
import { type BatchLook, LogMirror, type ReadableLog } from "./log-mirror.ts";
import type { LogEnds, PartitionLook, ReplicaLook } from "./partition-look.ts";

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
  /** What has changed it, but for appends, since it was read. */
  readonly changes: Set<TraceEvent["kind"] | "forgotten">;
  compactedTo: number;
  /** What stood there before a compaction that nobody has judged yet. */
  compactedFrom: readonly BatchLook[] | null;
}

type ReplicaSet = ReturnType<BrokerCluster["replicaSet"]>;
type Copy = ReplicaSet["copies"][number];

/** What no run ever changes of a topic. */
interface TopicSettings {
  readonly isCompacted: boolean;
  readonly minInsyncReplicas: number;
}

export class ClusterLooks {
  readonly #settings = new Map<string, TopicSettings>();
  readonly #mirrors = new Map<string, Map<number, Mirrored>>();
  readonly #inSync = new Map<string, readonly number[]>();
  readonly #unclean = new Map<string, number>();
  #cleanEnds = 0;
  #isHarmed = false;

  /** What the cluster says while it does it. */
  traced(event: TraceEvent): void {
    if (event.kind === "cluster_closed" && event.clean) this.#cleanEnds++;
    if (event.kind === "fault_fired" && event.action === "error") this.harmed();
    if (!("topic" in event && "partition" in event)) return;
    const place = `${event.topic}/${event.partition}`;
    if (CHANGES.has(event.kind) && "brokerId" in event)
      this.#mirrored(place, event.brokerId).changes.add(event.kind);
    if (event.kind === "compacted")
      this.#mirrored(place, event.brokerId).compactedTo = event.firstDirtyOffset;
    if (event.kind === "isr_changed") this.#inSync.set(place, event.to);
    if (event.kind !== "leader_changed" || event.leaderId === null) return;
    if (this.#inSync.get(place)?.includes(event.leaderId) === false)
      this.#unclean.set(place, (this.#unclean.get(place) ?? 0) + 1);
  }

  /** A disk refuses something, or a folder is not what its broker has left. */
  harmed(): void {
    this.#isHarmed = true;
  }

  /** Every log is read anew at the next look. */
  forget(): void {
    for (const mirrors of this.#mirrors.values())
      for (const { changes } of mirrors.values()) changes.add("forgotten");
  }

  /** `life`: which process it is. `null` when the partition is not there. */
  lookAt(cluster: BrokerCluster, { topic, partition }: TopicPartition, life: number): PartitionLook | null {
    if (cluster.state !== "running" || !cluster.hasTopic(topic)) return null;
    const { partitions } = cluster.describeTopic(topic);
    if (partition >= partitions) return null;
    const set = cluster.replicaSet({ topic, partition });
    const place = `${topic}/${partition}`;
    this.#inSync.set(place, set.inSyncReplicas);
    const { isCompacted, minInsyncReplicas } = this.#settingsOf(cluster, topic);
    const replicas = set.copies.flatMap((copy) => this.#replica(place, copy, isCompacted) ?? []);
    return {
      place,
      life,
      leaderId: set.leaderId,
      leaderEpoch: set.leaderEpoch,
      replicaIds: set.replicas,
      inSyncReplicas: set.inSyncReplicas,
      highWatermark: set.highWatermark,
      lastStableOffset: set.lastStableOffset,
      isCompacted,
      minInsyncReplicas,
      takesWrites: set.copies.some(({ broker }) => broker.isRunning),
      waitsForDisk: set.waitsForDisk,
      isNoted: cluster.config.highWatermarkCheckpoint,
      nowMs: cluster.env.clock.nowMs(),
      monotonicMs: cluster.env.clock.monotonicMs(),
      replicaLagTimeMs: cluster.config.replicaLagTimeMs,
      uncleanPromotions: this.#unclean.get(place) ?? 0,
      cleanEnds: this.#cleanEnds,
      replicas,
      unreadable: set.copies.flatMap((copy) =>
        replicas.some(({ brokerId }) => brokerId === copy.brokerId) ? [] : (endsOf(copy) ?? []),
      ),
      unopened: set.copies.flatMap(({ brokerId, broker, problem }) =>
        problem === null || broker.isStopped ? [] : [{ brokerId, why: problem.message }],
      ),
      isHarmed: this.#isHarmed,
    };
  }

  /** Who is in sync, and how many it takes; `null` when the partition is not there. */
  inSyncAt(cluster: BrokerCluster, { topic, partition }: TopicPartition): InSyncCount | null {
    if (cluster.state !== "running" || !cluster.hasTopic(topic)) return null;
    const { partitions } = cluster.describeTopic(topic);
    if (partition >= partitions) return null;
    const { leaderEpoch, inSyncReplicas } = cluster.replicaSet({ topic, partition });
    const { minInsyncReplicas } = this.#settingsOf(cluster, topic);
    return { place: `${topic}/${partition}`, inSync: inSyncReplicas.length, minInsyncReplicas, leaderEpoch };
  }

  /** The last look at it was judged: what was compacted before is no news any more. */
  judged(place: string): void {
    for (const mirrored of this.#mirrors.get(place)?.values() ?? []) mirrored.compactedFrom = null;
  }

  #replica(place: string, copy: Copy, withRecords: boolean): ReplicaLook | null {
    if (!copy.isOnline) return null;
    const { brokerId, log, highWatermark, isBeingCut } = copy;
    const mirrored = this.#mirrored(place, brokerId);
    const { mirror, changes } = mirrored;
    const isOther = mirrored.log !== log;
    let before: readonly BatchLook[] | null;
    try {
      before = mirror.follow(log, { isChanged: isOther || changes.size > 0, withRecords });
    } catch (problem) {
      // What cannot be read is not looked at; that it is served to nobody else is for readers to see.
      if (problem instanceof BrokerError || problem instanceof CrashSignal) return null;
      throw problem;
    }
    const isCompacted = !isOther && changes.size === 1 && changes.has("compacted");
    if (isCompacted) mirrored.compactedFrom ??= before;
    else if (isOther || changes.size > 0) mirrored.compactedFrom = null;
    const { compactedTo, compactedFrom } = mirrored;
    mirrored.log = log;
    changes.clear();
    const { logStartOffset, logEndOffset, flushedOffset, leaderEpochs: epochs } = log;
    return {
      brokerId,
      logStartOffset,
      logEndOffset,
      flushedOffset,
      highWatermark,
      isBeingCut,
      epochs,
      mirror,
      compactedTo,
      compactedFrom,
    };
  }

  #settingsOf(cluster: BrokerCluster, topic: string): TopicSettings {
    let known = this.#settings.get(topic);
    if (known === undefined) {
      const config = cluster.describeConfig(topic);
      const settingOf = (setting: string) => config.find(({ name }) => name === setting)?.value;
      known = {
        isCompacted: String(settingOf("cleanup_policy")).includes("compact"),
        minInsyncReplicas: Number(settingOf("min_insync_replicas")),
      };
      this.#settings.set(topic, known);
    }
    return known;
  }

  #mirrored(place: string, brokerId: number): Mirrored {
    const mirrors = mapIn(this.#mirrors, place);
    const known = mirrors.get(brokerId) ?? {
      mirror: new LogMirror(),
      log: null,
      changes: new Set(),
      compactedTo: 0,
      compactedFrom: null,
    };
    mirrors.set(brokerId, known);
    return known;
  }
}

/** `null` for one that has no log. */
function endsOf(copy: Copy): LogEnds | null {
  if (copy.problem !== null) return null;
  const { logEndOffset, flushedOffset } = copy.log;
  return { brokerId: copy.brokerId, logEndOffset, flushedOffset };
}
