/** What the steps on logs would do (background-steps.ts), and when. Changes nothing. */
import type { Env } from "../env/env.ts";
import type { ReplicaPlace } from "../env/trace.ts";
import { BrokerError } from "../errors.ts";
import { copiedEndOf } from "../replica/copied-end.ts";
import { logsOf, type ReplicaLog } from "../replica/log-upkeep.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { Broker } from "./broker.ts";
import type { ResolvedConfig } from "./config.ts";
import type { ForetoldNote, PendingStep, StepDeadline } from "./pending-step.ts";
import type { Rooms } from "./rooms.ts";

export interface LogsForesightParts extends Pick<Rooms, "brokers" | "table" | "topics"> {
  readonly config: ResolvedConfig;
}

type Sets = readonly PartitionReplicaSet[];

export class LogsForesight {
  readonly #parts: LogsForesightParts;
  readonly #env: Env;

  constructor(parts: LogsForesightParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /** A flush also notes how far what is on the disks then is visible. Without one when it would do nothing. */
  flush(): Extract<PendingStep, { operation: "flush_logs" }>[] {
    const logs = this.#openCopies().flatMap(({ log }) => {
      const foretold = log.foresight.flush();
      return foretold === null ? [] : [{ ...log.place, ...foretold }];
    });
    const flushed = new Set(logs.map(keyOf));
    const isFlushed = ({ log }: Replica) => flushed.has(keyOf(log.place));
    const notes = this.#parts.brokers
      .all()
      .flatMap((broker) => (broker.isRunning ? this.#noteOf(broker, isFlushed) : []));
    if (logs.length + notes.length === 0) return [];
    return [{ operation: "flush_logs", fields: {}, would: { logs, notes } }];
  }

  #noteOf(broker: Broker, isFlushed: (copy: Replica) => boolean): ForetoldNote[] {
    const { table, topics } = this.#parts;
    const { brokerId, highWatermarks: file } = broker;
    const values = table.highWatermarksOf(brokerId, topics.catalogue, isFlushed);
    if (!file.isNews(values)) return [];
    const nameOf = new Map(topics.catalogue.list().map(({ topic, topicId }) => [topicId, topic]));
    const highWatermarks = file.newsOf(values).map(({ topicId, partition, highWatermark }) => {
      return { topic: nameOf.get(topicId) ?? topicId, partition, highWatermark };
    });
    return [{ brokerId, highWatermarks }];
  }

  producers(): PendingStep[] {
    const sinceMs = this.#env.clock.nowMs() - this.#parts.config.producerExpirationMs;
    const expired = this.#openCopies().flatMap(({ log }) => {
      const producerIds = log.foresight
        .forgettableProducers()
        .filter(({ lastSeenMs }) => lastSeenMs <= sinceMs)
        .map(({ producerId }) => producerId);
      return producerIds.length === 0 ? [] : [{ ...log.place, producerIds }];
    });
    return expired.length === 0 ? [] : [{ operation: "expire_producers", fields: {}, would: { expired } }];
  }

  retention(sets: Sets): PendingStep[] {
    const nowMs = this.#env.clock.nowMs();
    const foretold = byTopic(sets, ({ log, highWatermark }) =>
      log.foresight.retention({ nowMs, highWatermark }),
    );
    return foretold.map(([topic, logs]) => {
      return { operation: "apply_retention", fields: { topic }, would: { logs } };
    });
  }

  compaction(sets: Sets): PendingStep[] {
    const nowMs = this.#env.clock.nowMs();
    const foretold = byTopic(sets, ({ log, highWatermark: cleanEnd }, set) =>
      log.foresight.compaction({ nowMs, cleanEnd, copiedEnd: copiedEndOf(set) }),
    );
    return foretold.map(([topic, logs]) => ({ operation: "compact", fields: { topic }, would: { logs } }));
  }

  deadlines(sets: Sets): StepDeadline[] {
    const nowMs = this.#env.clock.nowMs();
    return sets.flatMap((set) => [...logsOf(set)].flatMap((kept) => this.#upkeepDeadlines(set, kept, nowMs)));
  }

  #upkeepDeadlines(
    set: PartitionReplicaSet,
    { log: { foresight }, place, highWatermark }: ReplicaLog,
    nowMs: number,
  ): StepDeadline[] {
    const question = { nowMs, cleanEnd: highWatermark, copiedEnd: copiedEndOf(set) };
    const retained = unlessRefused(() => foresight.retentionDueMs({ nowMs, highWatermark }));
    const compacted = unlessRefused(() => foresight.compactionDueMs(question));
    const due = [
      { dueMs: retained, what: "retention", operation: "apply_retention" },
      { dueMs: compacted, what: "compaction", operation: "compact" },
    ] as const;
    return due.flatMap(({ dueMs, ...what }) => (dueMs === null ? [] : [{ dueMs, ...what, ...place }]));
  }

  /** Of the producer that each log has heard of longest ago. */
  producerDeadlines(): StepDeadline[] {
    const { producerExpirationMs } = this.#parts.config;
    const nowMs = this.#env.clock.nowMs();
    return this.#openCopies().flatMap(({ log }): StepDeadline[] => {
      const dueTimes = log.foresight
        .forgettableProducers()
        .map(({ producerId, lastSeenMs }) => ({ producerId, dueMs: lastSeenMs + producerExpirationMs }));
      const next = dueTimes.find(({ dueMs }) => dueMs > nowMs);
      if (next === undefined) return [];
      return [{ ...next, what: "producer_expiration", operation: "expire_producers", ...log.place }];
    });
  }

  #openCopies(): Replica[] {
    return this.#parts.table
      .all()
      .flatMap(({ copies }) => copies)
      .filter(({ problem, broker }) => problem === null && !broker.isStopped);
  }
}

function keyOf({ brokerId, topic, partition }: ReplicaPlace): string {
  return `${brokerId}:${topic}:${partition}`;
}

/** What each log says for itself, by the topics of which one says anything. */
function byTopic<Said extends object>(
  sets: Sets,
  ask: (kept: ReplicaLog, set: PartitionReplicaSet) => Said | null,
): [topic: string, logs: (ReplicaPlace & Said)[]][] {
  const found = new Map<string, (ReplicaPlace & Said)[]>();
  for (const set of sets)
    for (const kept of logsOf(set)) {
      const said = unlessRefused(() => ask(kept, set));
      if (said === null) continue;
      const logs = found.get(set.place.topic) ?? [];
      logs.push({ ...kept.place, ...said });
      found.set(set.place.topic, logs);
    }
  return [...found];
}

/** `null` where the disk refuses the look: the step will be refused as well, and says why. */
function unlessRefused<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch (problem) {
    if (problem instanceof BrokerError) return null;
    throw problem;
  }
}
