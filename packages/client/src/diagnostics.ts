/**
 * What the SDK does, told to whoever subscribes: tracing channels of `node:diagnostics_channel`, as OpenTelemetry and others listen to.
 *
 * Each is a `tracingChannel` by its name: `start`, `end`, `asyncStart`, `asyncEnd`, and `error` when it failed, with one and the same
 * object, to which Node adds `result` or `error`. What stands in it is the SDK's own: it is read and not written. While nobody
 * subscribes, no such object is made.
 */
import { type TracingChannel, tracingChannel } from "node:diagnostics_channel";
import type { JsonObject } from "@minikafka/protocol";
import type { Rebalance } from "./consumer/group/group-options.ts";
import type { TopicPartition } from "./topic-partition.ts";

/** One attempt to connect. */
export interface ConnectDiagnostics {
  /** The other end, as "host:port". */
  readonly peer: string;
  readonly error?: unknown;
}

/** One request, from the call to its answer or what ended it, a wait for a connection included. */
export interface RequestDiagnostics {
  readonly peer: string;
  readonly operation: string;
  /** By the protocol's names, without the bytes of a batch. */
  readonly fields: object;
  /** No answer comes: it is over when the link has taken it. */
  readonly oneWay: boolean;
  /** How long it may take. */
  readonly timeoutMs: number;
  /** The answer's fields. */
  readonly result?: JsonObject;
  readonly error?: unknown;
}

/** One attempt to get a batch of records into its partition. */
export interface ProduceDiagnostics extends TopicPartition {
  readonly records: number;
  /** Of the batch as it is sent, packed. */
  readonly bytes: number;
  readonly acks: 0 | 1 | "all";
  readonly transactionalId: string | null;
  /** Counted from 1. */
  readonly attempt: number;
  /** The offset of its first record; `null` with acks 0. */
  readonly result?: { readonly offset: number | null };
  readonly error?: unknown;
}

/** One fetch, of many partitions. */
export interface FetchDiagnostics {
  /** What was asked for: each from its offset on. */
  readonly partitions: readonly (TopicPartition & { readonly offset: number })[];
  readonly isolation: "read_uncommitted" | "read_committed";
  /** How long the broker may hold it back. */
  readonly maxWaitMs: number;
  /** Of the batches that came; `undefined` until they did. */
  readonly bytes?: number | undefined;
  readonly error?: unknown;
}

/** One request that commits offsets of a group, directly or in a transaction. */
export interface CommitDiagnostics {
  readonly groupId: string;
  /** `null`: as nobody's, for a group without members. */
  readonly memberId: string | null;
  readonly generation: number | null;
  readonly offsets: readonly (TopicPartition & {
    readonly offset: number;
    readonly metadata?: string | null | undefined;
  })[];
  /** `null`: they count at once. */
  readonly transactionalId: string | null;
  readonly error?: unknown;
}

/** The end of a transaction, with all attempts at it. */
export interface TransactionDiagnostics {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly end: "commit" | "abort";
  readonly error?: unknown;
}

/** A change of what a member of a group has, from when it is seen until its listener is done with it. */
export interface RebalanceDiagnostics extends Rebalance {
  readonly groupId: string;
  readonly memberId: string;
  /** Whether the listener threw. */
  readonly result?: boolean;
}

/** By the name of each channel what is published there. */
export interface Diagnostics {
  readonly "minikafka:connect": ConnectDiagnostics;
  readonly "minikafka:request": RequestDiagnostics;
  readonly "minikafka:produce": ProduceDiagnostics;
  readonly "minikafka:fetch": FetchDiagnostics;
  readonly "minikafka:commit": CommitDiagnostics;
  readonly "minikafka:transaction": TransactionDiagnostics;
  readonly "minikafka:rebalance": RebalanceDiagnostics;
}

type Name = keyof Diagnostics;

const channel = <Of extends Name>(name: Of) => tracingChannel<unknown, Diagnostics[Of]>(name);

const CHANNELS: { readonly [Of in Name]: TracingChannel<unknown, Diagnostics[Of]> } = {
  "minikafka:connect": channel("minikafka:connect"),
  "minikafka:request": channel("minikafka:request"),
  "minikafka:produce": channel("minikafka:produce"),
  "minikafka:fetch": channel("minikafka:fetch"),
  "minikafka:commit": channel("minikafka:commit"),
  "minikafka:transaction": channel("minikafka:transaction"),
  "minikafka:rebalance": channel("minikafka:rebalance"),
};

/** Does `work`, and tells of it if anybody listens: `told` makes what is published. */
export function traced<Of extends Name, Result>(
  name: Of,
  told: () => Diagnostics[Of],
  work: (published: Diagnostics[Of] | null) => Promise<Result>,
): Promise<Result> {
  const traces = CHANNELS[name];
  if (!traces.hasSubscribers) return work(null);
  const published = told();
  return traces.tracePromise(() => work(published), published);
}
