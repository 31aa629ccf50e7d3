/**
 * What the clients of one run asked for and were told, and what befell the cluster meanwhile: all that a judge who stands outside
 * the code may know.
 *
 * Everything has an order, a number of its own that only grows. An operation has two, when
 * it was asked and when its outcome was known to its client.
 */
import type { Happening } from "./happenings.ts";
import type { PlacedOffset, PlaceName } from "./place.ts";

export type Acks = 0 | 1 | "all";
export type Isolation = "read_uncommitted" | "read_committed";

/**
 * What a client knows of what it asked for. `ok`: it took effect. `failed`: it certainly did not, and never will; one refused attempt
 * among several of unknown fate doesn't make it so. `unknown`: anything else, such as a lost answer, or acks=0.
 */
export type Outcome = "ok" | "failed" | "unknown";

export interface SentRecord {
  /** No other record of the run has it. It travels in the record itself, so that a reader knows it again. */
  readonly id: string;
  readonly key: string | null;
  /** Its value is null: compaction takes it in time. */
  readonly isTombstone: boolean;
  /** The input record that a copier made it of. */
  readonly copyOf: string | null;
}

export interface SeenRecord {
  readonly offset: number;
  readonly id: string;
  readonly key: string | null;
  readonly isTombstone: boolean;
}

/** As an idempotent producer sends it, with the same in each attempt. */
export interface Sequence {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

export interface TopicFacts {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
  /** Records may go for being replaced. */
  readonly isCompacted: boolean;
  /** Records may go for being old, or too many. */
  readonly isRetained: boolean;
}

export interface MemberTold {
  readonly generation: number;
  readonly memberSince: number;
  readonly assignment: readonly PlaceName[];
}

interface Member {
  readonly groupId: string;
  readonly memberId: string;
}

/** Each kind of operation: what is asked, and what an `ok` tells. */
export interface OperationKinds {
  /** One batch. `transaction`: as begin_transaction calls it. */
  readonly send: {
    readonly asked: {
      readonly place: PlaceName;
      readonly records: readonly SentRecord[];
      readonly acks: Acks;
      readonly sequence: Sequence | null;
      readonly transaction: string | null;
    };
    /** `baseOffset`: of the first record. `duplicate`: the broker said that it had the batch already. */
    readonly told: { readonly baseOffset: number; readonly duplicate: boolean };
  };
  readonly init_producer: {
    readonly asked: { readonly transactionalId: string | null };
    readonly told: { readonly producerId: number; readonly producerEpoch: number };
  };
  /** `transaction`: a name that no other of the run has. */
  readonly begin_transaction: {
    readonly asked: {
      readonly transaction: string;
      readonly transactionalId: string;
      readonly producerId: number;
      readonly producerEpoch: number;
    };
    readonly told: object;
  };
  readonly send_offsets: {
    readonly asked: {
      readonly transaction: string;
      readonly groupId: string;
      readonly member: { readonly memberId: string; readonly generation: number } | null;
      readonly offsets: readonly PlacedOffset[];
    };
    readonly told: object;
  };
  readonly end_transaction: {
    readonly asked: { readonly transaction: string; readonly commit: boolean };
    readonly told: object;
  };
  /**
   * One fetch. `reader` names a row of polls, each of which begins where the one before ended: after a seek, a reset or a new
   * assignment it is another.
   */
  readonly poll: {
    readonly asked: {
      readonly reader: string;
      readonly place: PlaceName;
      readonly isolation: Isolation;
      readonly fromOffset: number;
    };
    readonly told: {
      /** As the application gets them: without what is aborted, markers, and what lies below `fromOffset`. */
      readonly records: readonly SeenRecord[];
      readonly nextOffset: number;
      readonly logStartOffset: number;
      readonly highWatermark: number;
      readonly lastStableOffset: number;
    };
  };
  readonly join: { readonly asked: Member; readonly told: MemberTold };
  readonly heartbeat: {
    readonly asked: Member & { readonly generation: number; readonly owned: readonly PlaceName[] };
    readonly told: MemberTold;
  };
  readonly leave: { readonly asked: Member; readonly told: object };
  readonly commit: {
    readonly asked: {
      readonly groupId: string;
      /** `null`: a consumer that is no member. */
      readonly member: { readonly memberId: string; readonly generation: number } | null;
      readonly offsets: readonly PlacedOffset[];
    };
    readonly told: object;
  };
  /** Of some places; `null` where the group has none. */
  readonly read_offsets: {
    readonly asked: { readonly groupId: string };
    readonly told: { readonly offsets: readonly PlacedOffset[] };
  };
  readonly create_topic: { readonly asked: TopicFacts; readonly told: object };
  readonly grow_topic: {
    readonly asked: { readonly topic: string; readonly partitions: number };
    readonly told: object;
  };
  readonly delete_topic: { readonly asked: { readonly topic: string }; readonly told: object };
  /** `beforeOffset`: of the first record that is to stay; `null` for everything visible. */
  readonly delete_records: {
    readonly asked: { readonly place: PlaceName; readonly beforeOffset: number | null };
    readonly told: { readonly logStartOffset: number };
  };
  readonly promote: {
    readonly asked: { readonly place: PlaceName; readonly brokerId: number; readonly unclean: boolean };
    readonly told: { readonly leaderEpoch: number };
  };
}

export type OperationKind = keyof OperationKinds;

/** Of several attempts, one: `ended` is what its client knows in the end. */
export interface Operation<Kind extends OperationKind = OperationKind> {
  readonly kind: Kind;
  readonly client: string;
  readonly order: number;
  readonly atMs: number;
  readonly asked: OperationKinds[Kind]["asked"];
  /** `null` while its client waits, or when the client was gone before it knew: the same as `unknown`. */
  ended: Ended<Kind> | null;
}

export interface Ended<Kind extends OperationKind = OperationKind> {
  readonly order: number;
  readonly atMs: number;
  readonly outcome: Outcome;
  /** How often it was sent. */
  readonly attempts: number;
  /** The last error, by code; `null` when there was none. */
  readonly code: string | null;
  /** `null` unless it is `ok`, and of an `ok` send with acks=0. */
  readonly told: OperationKinds[Kind]["told"] | null;
}

/** Any of them, told apart by `kind`. */
export type AnyOperation = { [Kind in OperationKind]: Operation<Kind> }[OperationKind];

export interface History {
  /** In the order in which they were asked. */
  readonly operations: readonly AnyOperation[];
  /** In order. */
  readonly happenings: readonly Happening[];
}
