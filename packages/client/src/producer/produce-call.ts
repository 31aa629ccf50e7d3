/** One attempt to get a batch into its partition. */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { traced } from "../diagnostics.ts";
import type { Session } from "../session.ts";
import type { TopicPartition } from "../topic-partition.ts";
import type { ProducerBatch } from "./producer-batch.ts";

export interface ProduceOptions {
  readonly acks: 0 | 1 | "all";
  /** `null`: the batches are of no transaction. */
  readonly transactionalId: string | null;
}

/** Where a batch has landed, as far as its answer says. */
export type Landing = Pick<ParsedResponse<"produce">, "offset" | "log_append_time_ms">;

/** Fails with what the broker says, or after `leftMs` at most. */
export function produceBatch(
  session: Session,
  options: ProduceOptions,
  batch: ProducerBatch,
  leftMs: number,
): Promise<Landing> {
  const frame = batch.frame();
  return traced(
    "minikafka:produce",
    () => ({
      ...batch.place,
      acks: options.acks,
      transactionalId: options.transactionalId,
      records: batch.recordCount,
      bytes: frame.length,
      attempt: batch.failures + 1,
    }),
    () => send(session, options, batch.place, { frame, leftMs }),
  );
}

async function send(
  session: Session,
  { acks, transactionalId }: ProduceOptions,
  { topic, partition }: TopicPartition,
  { frame, leftMs }: { readonly frame: Buffer; readonly leftMs: number },
): Promise<Landing> {
  const bytes = { name: "batch_b64", bytes: frame } as const;
  const options = { bytes, timeoutMsMax: leftMs };
  if (acks === 0) {
    await session.callOneWay("produce", { topic, partition, acks: "0", one_way: true }, options);
    return { offset: null };
  }
  if (acks === 1) return session.call("produce", { topic, partition, acks: "1" }, options);
  const fields: RequestFields<"produce"> = {
    topic,
    partition,
    acks,
    timeout_ms: session.requestTimeoutMs,
    ...(transactionalId !== null && { transactional_id: transactionalId }),
  };
  return session.call("produce", fields, options);
}
