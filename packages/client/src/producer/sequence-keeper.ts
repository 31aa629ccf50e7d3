/**
 * Who gives a producer's batches their sequences, as the sender sees it: an idempotent producer's own identity (Idempotence), or
 * that of its transactions (TransactionalIdentity).
 */
import type { MiniKafkaError } from "../errors.ts";
import type { IdempotentVerdict } from "./idempotent-verdict.ts";
import type { SequenceOwner } from "./lane-sequences.ts";
import type { PartitionLane } from "./partition-lane.ts";

export interface SequenceListener {
  /** There is an identity: lanes may send. */
  laneFree(lane: PartitionLane): void;
  /** There is none: what waits fails, or only what has waited for too long. */
  failWaiting(lane: PartitionLane, error: MiniKafkaError): void;
  failExpired(lane: PartitionLane): void;
}

export interface SequenceKeeper extends SequenceOwner {
  /** Something waits in `lane`, or was settled there. */
  visit(lane: PartitionLane): void;
  /** What is done about a batch on which `verdict` was given. */
  judge(verdict: IdempotentVerdict): IdempotentVerdict;
  /** A batch was given up, and nothing else may have its sequence. `isForgotten`: the broker does not know the identity. */
  endEpoch(end: { readonly isForgotten: boolean }): void;
  /** A newer instance is at work. */
  fence(error: MiniKafkaError): void;
  /** Tries once more what waited for it, and from now on a failure is final. */
  stopRetrying(): void;
  /** Leaves no request and no timer. */
  close(): void;
}

export type KeeperOf = (listener: SequenceListener) => SequenceKeeper;
