/**
 * produce: one record, several, or a whole encoded batch; appended as one batch, or not at all.
 * Records without a time get the broker's, all do with message_timestamp_type LogAppendTime. With acks "0" the append has
 * been tried and the offset stays unknown; an error is still answered, unless `one_way` asked for no answer at all.
 * Of an idempotent producer the same batch may come again: it is answered with the offsets that it got the first time.
 * Refuses: UNKNOWN_TOPIC, UNKNOWN_PARTITION, FENCED_LEADER_EPOCH, CORRUPT_BATCH, INVALID_RECORD, RECORD_TOO_LARGE,
 * NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT (the record's fate is then open), PRODUCER_FENCED, UNKNOWN_PRODUCER_ID,
 * OUT_OF_ORDER_SEQUENCE, STORAGE_ERROR, BROKER_FAILED.
 */
import { type AppendResult, BrokerError } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";
import { type BatchContent, encodeBatch, type Record } from "@minikafka/record";
import type { Deadlines } from "../../deadlines.ts";
import { aTurnForOthers } from "../../ticker.ts";
import type { Handler } from "../handler.ts";

type ProduceRequest = ParsedRequest<"produce">;

export const produce: Handler<"produce"> = async (request, { cluster, clock, deadlines }) => {
  const { topic, partition, acks, leader_epoch: leaderEpoch } = request;
  if (request.one_way && acks !== 0) {
    throw new BrokerError(
      "INVALID_REQUEST",
      'one_way: expected acks "0" beside it, since nothing can be acknowledged',
    );
  }
  const timedOut = acks === "all" ? new AbortController() : null;
  const options = {
    acks,
    ...(timedOut === null ? {} : { giveUp: timedOut.signal }),
    ...(leaderEpoch === undefined ? {} : { leaderEpoch }),
  };
  const appended = cluster.appendBatch({ topic, partition }, frameOf(request, clock.nowMs()), options);
  const { baseOffset, nextOffset, appendTimeMs, duplicate } =
    timedOut === null ? await appended : await before(appended, request.timeout_ms, deadlines, timedOut);
  if (acks === 0) return { partition, offset: null, next_offset: null };
  return {
    partition,
    offset: baseOffset,
    next_offset: nextOffset,
    ...(duplicate && { duplicate }),
    ...(appendTimeMs !== null && { log_append_time_ms: appendTimeMs }),
  };
};

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
  if (records === undefined) {
    return encodeBatch({
      ...producer,
      records: [{ key: key ?? null, value: value ?? null, timestampMs: nowMs, headers: [] }],
    });
  }
  return encodeBatch({
    ...producer,
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
function producerOf(
  request: ProduceRequest,
): Required<Pick<BatchContent, "producerId" | "producerEpoch" | "baseSequence">> | null {
  const { producer_id: producerId, producer_epoch: producerEpoch, base_sequence: baseSequence } = request;
  if (producerId === undefined && producerEpoch === undefined && baseSequence === undefined) return null;
  if (producerId !== undefined && producerEpoch !== undefined && baseSequence !== undefined)
    return { producerId, producerEpoch, baseSequence };
  throw new BrokerError(
    "INVALID_REQUEST",
    "producer_id, producer_epoch and base_sequence: expected all three or none",
  );
}

/** What `appended` brings, unless the deadline comes first: then the record's fate is open (acknowledgement.ts). */
function before(
  appended: Promise<AppendResult>,
  timeoutMs: number,
  deadlines: Deadlines,
  timedOut: AbortController,
): Promise<AppendResult> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.after(timeoutMs, () => {
      reject(new BrokerError("REQUEST_TIMED_OUT", `not acknowledged by all within ${timeoutMs} ms`));
      timedOut.abort();
    });
    appended.then(resolve, reject).finally(() => deadline.cancel());
    // No time at all is over at once, also where time stands still; what needed no waiting is answered before.
    if (timeoutMs === 0) void aTurnForOthers().then(() => deadlines.fireDue());
  });
}
