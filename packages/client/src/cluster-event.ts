/** An event of the cluster in the SDK's style, and which of them to watch. */
import type { EVENTS_DROPPED, EventKind, RequestFields, WatchedEvent } from "@minikafka/protocol";
import { camelCased } from "./camel-case.ts";

export type { EventKind };

/** Its facts stand beside these fields, by kind; the protocol's reference lists them. */
export interface ClusterEvent {
  /** Counts the events since the broker started. It rises, with holes where events were not asked for. */
  readonly number: number;
  /** On the broker's clock. */
  readonly timeMs: number;
  /** `events_dropped` says that `count` events are missing, from `firstNumber` on. Kinds of a newer broker are kept. */
  readonly kind: EventKind | typeof EVENTS_DROPPED | (string & Record<never, never>);
  readonly brokerId?: number | undefined;
  readonly topic?: string | undefined;
  readonly partition?: number | undefined;
  readonly [fact: string]: unknown;
}

export interface EventQuery {
  /** Only events of these topics, which need not exist yet. Default: all events. */
  readonly topics?: readonly string[] | undefined;
  /** Default: all kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The names in `changes` are settings, and stay the wire's. */
export function clusterEvent({ changes, ...facts }: WatchedEvent): ClusterEvent {
  const named = camelCased(facts) as unknown as ClusterEvent;
  return changes === undefined ? named : { ...named, changes };
}

/** The wire's fields of a query. */
export function watchFields({ topics, kinds }: EventQuery): RequestFields<"watch"> {
  return {
    ...(topics === undefined ? {} : { topics: [...topics] }),
    ...(kinds === undefined ? {} : { kinds: [...kinds] }),
  };
}
