/** What the kernel is about to offer; goes away with its landing. */
import { type BrokerCluster, BrokerError, type FetchResult, type TopicPartition } from "@minikafka/core";
import type { AbortedRange } from "./shown-records.ts";

interface Wait {
  readonly giveUp?: AbortSignal;
}
interface Identity {
  readonly producerId: number;
  readonly producerEpoch: number;
}
export interface TransactionIdentity extends Identity {
  readonly transactionalId: string;
}
export type TransactionState =
  | "empty"
  | "ongoing"
  | "prepare_commit"
  | "prepare_abort"
  | "complete_commit"
  | "complete_abort";
interface EndOfTransaction {
  readonly committed: boolean;
  readonly cause: "request" | "timeout" | "fenced" | "operator";
  readonly endedMs: number;
}
export interface TransactionDescription {
  readonly transactionalId: string;
  readonly coordinatorId: number | null;
  readonly state: TransactionState;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly timeoutMs: number;
  readonly startedMs: number | null;
  readonly partitions: readonly TopicPartition[];
  readonly lastEnd: EndOfTransaction | null;
}
export interface TransactionListing {
  readonly transactionalId: string;
  readonly state: TransactionState;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly partitions: number;
  readonly startedMs: number | null;
  readonly coordinatorId: number | null;
}
export interface TransactionOperations {
  init(
    request: { transactionalId: string; timeoutMs?: number; current?: Identity },
    wait?: Wait,
  ): Promise<Identity>;
  begin(transaction: TransactionIdentity, wait?: Wait): Promise<void>;
  append(
    place: TopicPartition,
    frame: Buffer,
    options: { transactionalId: string; leaderEpoch?: number; giveUp?: AbortSignal },
  ): ReturnType<BrokerCluster["appendBatch"]>;
  sendOffsets(
    request: TransactionIdentity & {
      groupId: string;
      member: { memberId: string; generation: number } | null;
      offsets: Parameters<BrokerCluster["groups"]["commit"]>[0]["offsets"];
    },
    wait?: Wait,
  ): Promise<void>;
  end(request: TransactionIdentity & { commit: boolean }, wait?: Wait): Promise<Identity>;
  abort(transactionalId: string, wait?: Wait): Promise<boolean>;
  describe(transactionalId: string, wait?: Wait): Promise<TransactionDescription>;
  list(
    query: { states?: readonly TransactionState[] },
    wait?: Wait,
  ): Promise<{
    transactions: readonly TransactionListing[];
    unreadable: readonly { partition: number; error: BrokerError }[];
  }>;
  expire(wait?: Wait): Promise<{
    aborted: readonly string[];
    completed: readonly string[];
    forgotten: readonly string[];
    failed: readonly { transactionalId: string; error: BrokerError }[];
  }>;
}

export function transactionsOf(cluster: Pick<BrokerCluster, "groups">): TransactionOperations {
  if ("transactions" in cluster) return cluster.transactions as TransactionOperations;
  throw new BrokerError("UNSUPPORTED_OPERATION", "transactions are not there yet");
}

export function abortedOf(result: FetchResult): readonly AbortedRange[] {
  return "abortedTransactions" in result ? (result.abortedTransactions as readonly AbortedRange[]) : [];
}

interface OpenTransaction extends Identity {
  readonly firstOffset: number;
}

export function openTransactionsOf(view: object): readonly OpenTransaction[] {
  return "openTransactions" in view ? (view.openTransactions as readonly OpenTransaction[]) : [];
}
