/** A step that would do something if it were taken now, as a request would ask for it, and what it would do. */
import type { ReplicaPlace } from "../env/trace.ts";
import type { ExpiredMember, Rebalanced } from "../group/group-events.ts";
import type { ForetoldCompaction, ForetoldFlush, ForetoldRetention } from "../log/foresight/log-foresight.ts";
import type { ForgottenOffset } from "../offsets/offset-forgetting.ts";
import type { ForetoldRound } from "../replica/foretold-round.ts";
import type { IsrMove } from "../replica/isr.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { RepairedTransaction } from "../transaction/hanging-transactions.ts";
import type { ExpiredTransactions } from "../transaction/transaction-expiry.ts";
import type { ForgottenProducers } from "./broker.ts";

/** Partitions of an internal topic that a step reads into memory first: what it does besides is not known before. */
interface Loading {
  readonly loads: readonly TopicPartition[];
}

export interface ForetoldIsr {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly moves: readonly IsrMove[];
  /** Afterwards. */
  readonly highWatermark: number;
}

export interface ForetoldNote {
  readonly brokerId: number;
  readonly highWatermarks: readonly (TopicPartition & { readonly highWatermark: number })[];
}

export interface ForetoldFlushes {
  readonly logs: readonly (ReplicaPlace & ForetoldFlush)[];
  /** Brokers that note anew how far their replicas are visible, with what is news of that: nothing where replicas are gone. */
  readonly notes: readonly ForetoldNote[];
}

export interface ForetoldExpiredOffsets extends Loading {
  readonly expired: readonly ForgottenOffset[];
  /** Groups of which nothing is left then. */
  readonly dying: readonly string[];
  /** Groups of which nothing was left for long enough. */
  readonly forgotten: readonly string[];
}

export interface ForetoldExpiredTransactions extends Loading, Omit<ExpiredTransactions, "failed"> {
  readonly repaired: readonly RepairedTransaction[];
}

type OfTopic = { readonly topic: string };
type OfFollower = TopicPartition & { readonly brokerId: number };
type OfAll = Readonly<Record<never, never>>;

/** By operation: which fields a request for it has, and what it would do. */
export interface Foretold {
  replicate_once: { readonly fields: OfFollower; readonly would: ForetoldRound };
  refresh_isr: { readonly fields: TopicPartition; readonly would: ForetoldIsr };
  flush_logs: { readonly fields: OfAll; readonly would: ForetoldFlushes };
  expire_members: {
    readonly fields: OfAll;
    readonly would: Loading & {
      readonly expired: readonly ExpiredMember[];
      readonly rebalanced: readonly Rebalanced[];
    };
  };
  expire_transactions: { readonly fields: OfAll; readonly would: ForetoldExpiredTransactions };
  expire_offsets: { readonly fields: OfAll; readonly would: ForetoldExpiredOffsets };
  expire_producers: {
    readonly fields: OfAll;
    readonly would: { readonly expired: readonly ForgottenProducers[] };
  };
  apply_retention: {
    readonly fields: OfTopic;
    readonly would: { readonly logs: readonly (ReplicaPlace & ForetoldRetention)[] };
  };
  compact: {
    readonly fields: OfTopic;
    readonly would: { readonly logs: readonly (ReplicaPlace & ForetoldCompaction)[] };
  };
}

export type DutyName = keyof Foretold;

export type PendingStep = {
  [Name in DutyName]: { readonly operation: Name } & Foretold[Name];
}[DutyName];

export type DeadlineKind =
  | "replica_lag_time"
  | "session_timeout"
  | "rebalance_timeout"
  | "initial_rebalance_delay"
  | "transaction_timeout"
  | "transactional_id_expiration"
  | "offset_retention"
  | "group_retention"
  | "producer_expiration"
  | "retention"
  | "compaction";

/** A time from which on a step has something to do that it has not now, if nothing else happens until then. */
export interface StepDeadline {
  readonly dueMs: number;
  readonly what: DeadlineKind;
  readonly operation: DutyName;
  readonly topic?: string;
  readonly partition?: number;
  readonly brokerId?: number;
  readonly groupId?: string;
  readonly memberId?: string;
  readonly transactionalId?: string;
  readonly producerId?: number;
}
