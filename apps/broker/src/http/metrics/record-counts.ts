/**
 * What went into logs and out of them, by broker and topic.
 *
 * Owns the numbers, and who leads each partition, as the events say it: an event of an append does not tell a leader's from a copy.
 * Invariants: a number of all topics only rises; those of single topics are bounded by the topics that there are.
 */
import type { BrokerCluster, TraceEvent } from "@minikafka/core";
import { Counts } from "./counts.ts";

type Of<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { readonly kind: Kind }>;
type Flow = "messagesin" | "bytesin" | "bytesout";

export class RecordCounts {
  readonly #leaders = new Map<string, number | null>();
  readonly ofAll = new Counts<[Flow, string]>();
  readonly ofTopics = new Counts<[Flow, string, string]>();
  /** By broker. */
  readonly copied = new Counts<[string]>();

  /** Looks who leads; what is told of topics that are not there is forgotten. */
  beginWith(cluster: BrokerCluster): void {
    this.#leaders.clear();
    const topics = cluster.listTopics();
    for (const { topic, partitions } of topics) {
      for (let partition = 0; partition < partitions; partition += 1) {
        const { assignedLeaderId } = cluster.replicaSet({ topic, partition });
        this.#leaders.set(keyOf({ topic, partition }), assignedLeaderId);
      }
    }
    const names = new Set(topics.map(({ topic }) => topic));
    this.ofTopics.forget((_flow, _broker, topic) => !names.has(topic));
  }

  note(event: TraceEvent): void {
    if (event.kind === "appended") this.#appended(event);
    else if (event.kind === "fetched") this.#add("bytesout", event, event.bytes);
    else if (event.kind === "leader_changed") this.#leaders.set(keyOf(event), event.leaderId);
    else if (event.kind === "topic_deleted") this.#forget(event.topic);
  }

  #appended(event: Of<"appended">): void {
    const key = keyOf(event);
    // Of a partition that is new nobody has copied anything before its leader appended it.
    if (!this.#leaders.has(key)) this.#leaders.set(key, event.brokerId);
    if (this.#leaders.get(key) !== event.brokerId) {
      this.copied.add(event.bytes, String(event.brokerId));
      return;
    }
    this.#add("messagesin", event, event.nextOffset - event.baseOffset);
    this.#add("bytesin", event, event.bytes);
  }

  #add(
    flow: Flow,
    { brokerId, topic }: { readonly brokerId: number; readonly topic: string },
    count: number,
  ) {
    this.ofAll.add(count, flow, String(brokerId));
    this.ofTopics.add(count, flow, String(brokerId), topic);
  }

  #forget(gone: string): void {
    this.ofTopics.forget((_flow, _broker, topic) => topic === gone);
    for (const key of this.#leaders.keys()) if (key.startsWith(`${gone}/`)) this.#leaders.delete(key);
  }
}

/** A topic's name has no slash. */
function keyOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
