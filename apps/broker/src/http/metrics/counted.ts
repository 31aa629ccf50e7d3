/**
 * What is counted off the stream of events, from when the HTTP port was made.
 *
 * Owns these numbers.
 * Invariants: they are one broker's, however many there are in the process; they only rise, also over the load of a snapshot, of which
 * nothing is counted, since nothing of it is told.
 * Never: asks the kernel while it is told of an event.
 */
import type { BrokerCluster, TraceEvent } from "@minikafka/core";
import type { NumberedEvent, Watcher } from "../../event-feed.ts";
import { apiOfPoint } from "../../faults/kafka-points.ts";
import type { RequestEvent } from "../../request-event.ts";
import { Counts } from "./counts.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { RecordCounts } from "./record-counts.ts";
import { RequestCounts } from "./request-counts.ts";

/** What cannot be read has no name. */
const UNREAD = "unreadable";
/** Topics of which the numbers are told. */
export const TOPICS_MAX = 1_000;

export class Counted implements Watcher {
  readonly wantsRequests = true;
  readonly wantsRefusals = true;
  readonly #records = new RecordCounts();
  readonly #events = new Counts<[string]>();
  readonly #faults = new Counts<[string, string]>();
  readonly #json: RequestCounts;
  readonly #kafka: RequestCounts;
  #refused = 0;
  #shrinks = 0;
  #expands = 0;

  /** See RequestCounts of `nowMs`. */
  constructor(cluster: BrokerCluster, nowMs: (() => number) | null) {
    this.#json = new RequestCounts(nowMs);
    this.#kafka = new RequestCounts(nowMs);
    this.beginWith(cluster);
  }

  /** Another cluster is there. */
  beginWith(cluster: BrokerCluster): void {
    this.#records.beginWith(cluster);
  }

  /** It wants no words for what it has heard. */
  wants(event: TraceEvent): boolean {
    this.#events.add(1, event.kind);
    this.#records.note(event);
    if (event.kind === "fault_fired") this.#faults.add(1, event.point, event.action);
    if (event.kind === "isr_changed") {
      if (event.from.some((brokerId) => !event.to.includes(brokerId))) this.#shrinks += 1;
      if (event.to.some((brokerId) => !event.from.includes(brokerId))) this.#expands += 1;
    }
    return false;
  }

  wantsRequest(event: RequestEvent): boolean {
    if (event.kind === "request_refused") return false;
    const { operation, brokerId } = event;
    const api = operation === null ? null : apiOfPoint(operation);
    if (api !== null) this.#kafka.note(event, api);
    // Who asks in Kafka's protocol asks a broker.
    else if (operation === null && brokerId !== undefined) this.#kafka.note(event, UNREAD);
    else this.#json.note(event, operation ?? UNREAD);
    return false;
  }

  take({ event }: NumberedEvent): void {
    if (event.kind === "request_refused") this.#refused += 1;
  }

  addTo(page: MetricsPage): void {
    this.#addRecords(page);
    page.add("kafka_server_replicamanager_isrshrinks_total", this.#shrinks);
    page.add("kafka_server_replicamanager_isrexpands_total", this.#expands);
    for (const [count, request] of this.#kafka.taken.all())
      page.add("kafka_network_requestmetrics_requests_total", count, { request });
    for (const [count, request, error] of this.#kafka.errors.all())
      page.add("kafka_network_requestmetrics_errors_total", count, { request, error });
    for (const [times, request] of this.#kafka.times())
      page.addTimes("kafka_network_requestmetrics_totaltimems", times, { request });
    for (const [count, operation] of this.#json.taken.all())
      page.add("minikafka_json_requests_total", count, { operation });
    for (const [count, operation, error] of this.#json.errors.all())
      page.add("minikafka_json_request_errors_total", count, { operation, error });
    for (const [times, operation] of this.#json.times())
      page.addTimes("minikafka_json_request_time_ms", times, { operation });
    page.add("minikafka_requests_refused_total", this.#refused);
    for (const [count, kind] of this.#events.all()) page.add("minikafka_events_total", count, { kind });
    for (const [count, point, action] of this.#faults.all())
      page.add("minikafka_faults_fired_total", count, { point, action });
  }

  #addRecords(page: MetricsPage): void {
    const { ofAll, ofTopics, copied } = this.#records;
    for (const [count, flow, broker_id] of ofAll.all())
      page.add(`kafka_server_brokertopicmetrics_${flow}_total`, count, { broker_id });
    const told = new Set<string>();
    const leftOut = new Set<string>();
    for (const [count, flow, broker_id, topic] of ofTopics.all()) {
      if (told.size < TOPICS_MAX) told.add(topic);
      if (told.has(topic))
        page.add(`kafka_server_brokertopicmetrics_${flow}_total`, count, { broker_id, topic });
      else leftOut.add(topic);
    }
    page.add("minikafka_metrics_left_out", leftOut.size, { of: "topics" });
    for (const [count, broker_id] of copied.all())
      page.add("kafka_server_brokertopicmetrics_replicationbytesin_total", count, { broker_id });
  }
}
