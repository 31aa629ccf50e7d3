/** What happened to transactional ids, told once the change is acknowledged. A part of TraceEvent (trace.ts). */

type OnTransactionalId<Kind extends string, Facts> = {
  readonly kind: Kind;
  readonly transactionalId: string;
  readonly producerId: number;
} & Readonly<Facts>;

/** `partitions`: how many the transaction has, or had. */
export type TransactionTraceEvent =
  | OnTransactionalId<"transaction_initialized", { producerEpoch: number; timeoutMs: number; state: string }>
  | OnTransactionalId<"transaction_begun", { producerEpoch: number }>
  | OnTransactionalId<
      "transaction_partition_added",
      { producerEpoch: number; topic: string; partition: number; partitions: number }
    >
  | OnTransactionalId<
      "transaction_prepared",
      {
        producerEpoch: number;
        committed: boolean;
        cause: "request" | "timeout" | "fenced" | "operator";
        partitions: number;
      }
    >
  | OnTransactionalId<
      "transaction_completed",
      { producerEpoch: number; committed: boolean; partitions: number }
    >
  | OnTransactionalId<"transactional_id_forgotten", { updatedMs: number }>
  | {
      readonly kind: "hanging_transaction_ended";
      readonly topic: string;
      readonly partition: number;
      readonly producerId: number;
      readonly producerEpoch: number;
      readonly committed: boolean;
    };
