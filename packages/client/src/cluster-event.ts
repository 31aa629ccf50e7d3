/** An event of the cluster in the SDK's style, and which of them to watch. */
import type { EVENTS_DROPPED, EventFacts, EventKind, RequestFields, WatchedEvent } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireFlag, requireOptions, requireTexts } from "./usage.ts";

export type { EventKind };

/** Where and when an event happened. */
export interface EventPlace {
  /** Counts the events since the broker started. It rises, with holes where events were not asked for. Of a request: that of the event before. */
  readonly number: number;
  /** On the broker's clock. */
  readonly timeMs: number;
  readonly brokerId?: number | undefined;
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
}

/** An event of one kind, with the facts that the protocol's table has for it. */
export type EventOf<Kind extends EventKind> = EventPlace & { readonly kind: Kind } & CamelCased<
    EventFacts<Kind>
  >;

/** Says of the watch itself that `count` events are missing, from `firstNumber` on. */
export interface EventsDropped extends EventPlace {
  readonly kind: typeof EVENTS_DROPPED;
  readonly count: number;
  readonly firstNumber: number;
}

/** Its `kind` tells which facts it has. A newer broker may send kinds that this type does not know: they come as they are. */
export type ClusterEvent = { readonly [Kind in EventKind]: EventOf<Kind> }[EventKind] | EventsDropped;

/** Which events are watched. */
export interface EventQuery {
  /** Only events of these topics, which need not exist yet. Default: all events. */
  readonly topics?: readonly string[] | undefined;
  /** Default: all kinds but `request_taken` and `request_done`. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Also each request that is taken (`request_taken`) and how it ended (`request_done`), whatever kinds are asked for. Default: no. */
  readonly requests?: boolean | undefined;
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names in `changes` are settings, and stay the wire's. */
export function clusterEvent({ changes, ...facts }: WatchedEvent): ClusterEvent {
  const named = { ...camelCased(facts), ...(changes === undefined ? {} : { changes }) };
  // What the table says of each kind is the broker's word, and is taken.
  return named as ClusterEvent;
}

/** The wire's fields of a query. Throws USAGE for one that cannot be meant. */
export function watchFields(query: EventQuery): RequestFields<"watch"> {
  requireOptions("events", query, ["topics", "kinds", "requests", "signal"]);
  const { topics, kinds, requests } = query;
  requireTexts("topics", topics);
  requireTexts("kinds", kinds);
  requireFlag("requests", requests);
  return {
    ...(topics === undefined ? {} : { topics: [...topics] }),
    ...(kinds === undefined ? {} : { kinds: [...kinds] }),
    // An older broker knows no such field.
    ...(requests === true ? { requests } : {}),
  };
}
