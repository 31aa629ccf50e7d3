/** The events that `watch` shows: which kinds there are, what each means, and the shape of their lines. */
import { z } from "zod";
import { CLUSTER_EVENTS } from "./events/cluster-events.ts";
import type { FactsIn } from "./events/event-facts.ts";
import { GROUP_EVENTS } from "./events/group-events.ts";
import { LOG_EVENTS } from "./events/log-events.ts";
import { REQUEST_EVENTS } from "./events/request-events.ts";
import { TRANSACTION_EVENTS } from "./events/transaction-events.ts";
import * as fields from "./fields.ts";

/** By kind: what it means, and its facts beside topic, partition and broker (events/event-facts.ts). */
export const EVENTS = { ...LOG_EVENTS, ...CLUSTER_EVENTS, ...GROUP_EVENTS, ...TRANSACTION_EVENTS } as const;

/** With the kinds that are told of requests, where that is asked for. */
const ALL_EVENTS = { ...EVENTS, ...REQUEST_EVENTS };

export type EventKind = keyof typeof ALL_EVENTS;

/** The facts of one kind, beside topic, partition and broker. */
export type EventFacts<Kind extends EventKind> = FactsIn<(typeof ALL_EVENTS)[Kind][1]>;

export const EVENT_KINDS = Object.keys(ALL_EVENTS) as [EventKind, ...EventKind[]];

/** Not a kind of the cluster's: it says of the watch itself that events are missing. It comes whatever kinds are asked for. */
export const EVENTS_DROPPED = "events_dropped";

/** An event. Its facts stand beside these fields; those of a newer broker's kind are kept as they are. */
export const watchedEvent = z.looseObject({
  number: z
    .int()
    .min(0)
    .describe(
      "counts the events since the broker started; rises, with holes where events were not asked for; what is told of a request has that of the event before it",
    ),
  time_ms: fields.count.describe("when it happened, on the broker's clock"),
  kind: z.string().describe("one of the kinds below, or events_dropped"),
  broker_id: fields.brokerId.optional(),
  topic: fields.topic.optional(),
  partition: fields.partition.optional(),
});
export type WatchedEvent = z.output<typeof watchedEvent>;

/** What follows the answer of a watch, a line for each event. */
export const eventLine = z.looseObject({ event: watchedEvent });
