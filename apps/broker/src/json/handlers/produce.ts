/**
 * produce: one record, several, or a whole encoded batch; appended as one batch, or not at all.
 * Records without a time get the broker's, all do with message_timestamp_type LogAppendTime. With acks "0" the append has
 * been tried and the offset stays unknown; an error is still answered, unless `one_way` asked for no answer at all.
 * Of an idempotent producer the same batch may come again: it is answered with the offsets that it got the first time.
 * With a transactional id the records are a part of its open transaction.
 * Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, FENCED_LEADER_EPOCH, CORRUPT_BATCH, INVALID_RECORD, RECORD_TOO_LARGE,
 * NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT (the record's fate is then open), PRODUCER_FENCED, UNKNOWN_PRODUCER_ID,
 * OUT_OF_ORDER_SEQUENCE, STORAGE_ERROR, BROKER_FAILED; in a transaction also as begin_transaction.
 */
import { type AppendResult, BrokerError } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";
import { type BatchContent, encodeBatch, type Record } from "@minikafka/record";
import type { BrokerContext } from "../../broker-context.ts";
import type { Client } from "../../connections/client.ts";
import { withinTime } from "../../time-limit.ts";
import type { Handler } from "../handler.ts";

type ProduceRequest = ParsedRequest<"produce">;
/** Who sends the records, and with which sequence. */
type BatchSender = Required<Pick<BatchContent, "producerId" | "producerEpoch" | "baseSequence">>;

export const produce: Handler<"produce"> = async (request, context, client) => {
  const { partition, acks } = request;
  requireFittingAcks(request);
  const frame = frameOf(request, context.clock.nowMs());
  const { baseOffset, nextOffset, appendTimeMs, duplicate } = await append(request, frame, context, client);
  if (acks === 0) return { partition, offset: null, next_offset: null };
  return {
    partition,
    offset: baseOffset,
    next_offset: nextOffset,
    ...(duplicate && { duplicate }),
    ...(appendTimeMs !== null && { log_append_time_ms: appendTimeMs }),
  };
};

function requireFittingAcks({
  acks,
  one_way: oneWay,
  transactional_id: transactionalId,
}: ProduceRequest): void {
  if (oneWay && acks !== 0) {
    throw new BrokerError(
      "INVALID_REQUEST",
      'one_way: expected acks "0" beside it, since nothing can be acknowledged',
    );
  }
  if (transactionalId !== undefined && acks !== "all") {
    throw new BrokerError(
      "INVALID_REQUEST",
      'transactional_id: expected acks "all" beside it, since a transaction may lose nothing that was acknowledged',
    );
  }
}

/** The append happens before this returns, unless the transaction has to be given the partition first. */
function append(
  request: ProduceRequest,
  frame: Buffer,
  { cluster, deadlines }: BrokerContext,
  client: Client,
): Promise<AppendResult> {
  const { topic, partition, acks, transactional_id: transactionalId, leader_epoch: leaderEpoch } = request;
  const place = { topic, partition };
  const options = leaderEpoch === undefined ? {} : { leaderEpoch };
  const waiter = { request: request.operation, topic, partition, transactionalId };
  if (transactionalId !== undefined) {
    return client.transactionTurns.change(transactionalId, () =>
      withinTime(request.timeout_ms, deadlines, waiter, (giveUp) =>
        cluster.transactions.append(place, frame, { ...options, transactionalId, giveUp }),
      ),
    );
  }
  if (acks !== "all") return cluster.appendBatch(place, frame, { ...options, acks });
  return withinTime(request.timeout_ms, deadlines, waiter, (giveUp) =>
    cluster.appendBatch(place, frame, { ...options, acks, giveUp }),
  );
}

/** The batch to append. Refuses a request that mixes the forms, since it is unclear which one was meant. */
function frameOf(request: ProduceRequest, nowMs: number): Buffer {
  const { key_b64: key, value_b64: value, records, batch_b64: batch } = request;
  const forms = [
    key !== undefined || value !== undefined ? "key_b64/value_b64" : null,
    records === undefined ? null : "records",
    batch === undefined ? null : "batch_b64",
  ].filter((form) => form !== null);
  if (forms.length > 1) {
    throw new BrokerError("INVALID_REQUEST", `${forms.join(" and ")}: expected one of them, not several`);
  }
  const producer = producerOf(request);
  if (batch !== undefined) {
    if (producer === null) return batch;
    throw new BrokerError(
      "INVALID_REQUEST",
      "batch_b64: expected no producer_id beside it, since it says it itself",
    );
  }
  const transactional = request.transactional_id !== undefined;
  if (transactional && producer === null) {
    throw new BrokerError(
      "INVALID_REQUEST",
      "transactional_id: expected producer_id, producer_epoch and base_sequence beside it, or a transactional batch_b64",
    );
  }
  const sender = { ...producer, transactional };
  if (records === undefined) {
    return encodeBatch({
      ...sender,
      records: [{ key: key ?? null, value: value ?? null, timestampMs: nowMs, headers: [] }],
    });
  }
  return encodeBatch({
    ...sender,
    records: records.map(
      (each): Record => ({
        key: each.key_b64,
        value: each.value_b64,
        timestampMs: each.timestamp_ms ?? nowMs,
        headers: each.headers.map((header) => ({ key: header.key, value: header.value_b64 })),
      }),
    ),
  });
}

/** Who sends the records, or `null` for nobody in particular. */
function producerOf(request: ProduceRequest): BatchSender | null {
  const { producer_id: producerId, producer_epoch: producerEpoch, base_sequence: baseSequence } = request;
  if (producerId === undefined && producerEpoch === undefined && baseSequence === undefined) return null;
  if (producerId !== undefined && producerEpoch !== undefined && baseSequence !== undefined)
    return { producerId, producerEpoch, baseSequence };
  throw new BrokerError(
    "INVALID_REQUEST",
    "producer_id, producer_epoch and base_sequence: expected all three or none",
  );
}
