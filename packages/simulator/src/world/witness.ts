/**
 * Whoever looks on: it takes the kernel's trace, notes what befell the cluster, and the first thing that cannot be.
 *
 * Never: a word to the cluster, or a change of what it does.
 */
import {
  type AppendResult,
  type BrokerCluster,
  BrokerError,
  CrashSignal,
  type TopicPartition,
  type TraceEvent,
} from "@minikafka/core";
import type { Acks, Sequence } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";

export interface Violation {
  /** Which promise does not hold, `lost-write`. */
  readonly what: string;
  /** What was seen. */
  readonly evidence: string;
}

/** What is under way to the log. */
export interface WatchedAppend {
  readonly cluster: BrokerCluster;
  readonly place: TopicPartition;
  readonly acks: Acks;
  readonly sequence: Sequence | null;
  /** How many it has. */
  readonly records: number;
  /** What its transaction needs elsewhere may be refused first. */
  readonly isTransactional: boolean;
}

/** Is told in the instant in which a batch is sent, and in which the cluster says what became of it. */
export interface AppendListener {
  asked(append: WatchedAppend): void;
  answered(append: WatchedAppend, answer: AppendResult): void;
  refused(append: WatchedAppend, code: string): void;
}

export class Witness {
  readonly #recorder: Recorder;
  /** How often each kind of event was told. */
  readonly counts = new Map<string, number>();
  /** By partition, who is in sync; of a change that a power cut may take back, who was before as well. */
  readonly #inSync = new Map<string, readonly number[]>();
  /** Nobody knows what the metadata says: what is told from then on in this life need not last. */
  #isInDoubt = false;
  /** Partitions of which something was told since the last look. */
  readonly touched = new Set<string>();
  violation: Violation | null = null;
  refusedStarts = 0;
  #hash: number | null = null;
  readonly #onAppend: AppendListener[] = [];
  readonly #onRefresh: ((cluster: BrokerCluster) => void)[] = [];
  readonly #listeners: ((event: TraceEvent) => void)[] = [];

  constructor(recorder: Recorder, { isHashed = false } = {}) {
    this.#recorder = recorder;
    this.#hash = isHashed ? 0x811c9dc5 : null;
  }

  /** Of the whole trace; `null` unless it was asked for. */
  get hash(): number | null {
    return this.#hash;
  }

  readonly trace = (event: TraceEvent): void => {
    this.counts.set(event.kind, (this.counts.get(event.kind) ?? 0) + 1);
    for (const listener of this.#listeners) listener(event);
    if (this.#hash !== null) this.#hash = hashed(this.#hash, JSON.stringify(event));
    if ("topic" in event && "partition" in event) this.touched.add(`${event.topic}/${event.partition}`);
    switch (event.kind) {
      case "leader_changed": {
        const { topic, partition, leaderId, leaderEpoch } = event;
        const place = `${topic}/${partition}`;
        // Of a topic that was made meanwhile all replicas are in sync until the first change is told.
        const inSync = this.#inSync.get(place);
        const isUnclean = leaderId !== null && inSync?.includes(leaderId) === false;
        this.#recorder.happened({ kind: "leader_changed", place, leaderId, leaderEpoch, isUnclean });
        break;
      }
      case "isr_changed": {
        const place = `${event.topic}/${event.partition}`;
        const before = this.#isInDoubt ? (this.#inSync.get(place) ?? []) : [];
        this.#inSync.set(place, [...before, ...event.to]);
        break;
      }
      case "broker_failed":
        this.#isInDoubt ||= event.problem.includes("/metadata.json:");
        this.#recorder.happened({ kind: event.kind, brokerId: event.brokerId });
        break;
      case "broker_stopped":
      case "broker_started":
        this.#recorder.happened({ kind: event.kind, brokerId: event.brokerId });
        break;
      case "fault_fired":
        this.#recorder.happened({ kind: "fault_fired", point: event.point, action: event.action });
        break;
      default:
    }
  };

  onAppend(listener: AppendListener): void {
    this.#onAppend.push(listener);
  }

  /** Hands `appended` on, whose end is looked at first. */
  async watched(append: WatchedAppend, appended: Promise<AppendResult>): Promise<AppendResult> {
    for (const listener of this.#onAppend) listener.asked(append);
    try {
      const answer = await appended;
      for (const listener of this.#onAppend) listener.answered(append, answer);
      return answer;
    } catch (problem) {
      if (problem instanceof BrokerError)
        for (const listener of this.#onAppend) listener.refused(append, problem.code);
      throw problem;
    }
  }

  /** `listener` is called in the instant in which it was judged who lags. */
  onRefresh(listener: (cluster: BrokerCluster) => void): void {
    this.#onRefresh.push(listener);
  }

  refreshed(cluster: BrokerCluster): void {
    for (const listener of this.#onRefresh) listener(cluster);
  }

  /** `listener` hears every event from here on. */
  listen(listener: (event: TraceEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** A cluster serves. */
  started(cluster: BrokerCluster): void {
    for (const { topic } of cluster.listTopics()) this.noteTopic(cluster, topic);
  }

  noteTopic(cluster: BrokerCluster, topic: string): void {
    for (const { partition, inSyncReplicas } of cluster.metadata(topic).partitions)
      this.#inSync.set(`${topic}/${partition}`, inSyncReplicas);
  }

  notStarted(problem: Error): void {
    this.refusedStarts++;
    this.note(`not started: ${problem.message}`);
  }

  ended(): void {
    this.#isInDoubt = false;
    this.touched.clear();
  }

  note(what: string): void {
    if (this.#hash !== null) this.#hash = hashed(this.#hash, what);
  }

  /** Something was thrown that is no refusal of the world. */
  readonly broken = (problem: unknown): void => {
    if (problem instanceof CrashSignal) return;
    const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
    const what = problem instanceof BrokerError ? "unexpected-refusal" : "kernel-assertion";
    this.violates({ what, evidence: text });
  };

  violates(violation: Violation): void {
    this.violation ??= violation;
  }
}

function hashed(before: number, text: string): number {
  let hash = before;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
