/**
 * One pass over the partitions of a fetch, within its budget of bytes and records.
 *
 * Owns what is left of the records; fetch-budget.ts knows the bytes. A partition that comes after either is used up is read for its
 * marks alone. Bytes are counted as they were read, also of records that are not shown, and as they were unpacked; records are counted
 * as they are shown.
 */
import type { BrokerCluster, FetchResult, TopicPartition } from "@minikafka/core";
import { encodeBase64, type ParsedRequest, type ResponseFields } from "@minikafka/protocol";
import type { StoredRecord } from "@minikafka/record";
import { FetchBudget } from "../fetch-budget.ts";
import type { Patience } from "../long-poll.ts";
import { type AbortedRange, shownRecords } from "./shown-records.ts";

type FetchOptions = Pick<ParsedRequest<"fetch">, "max_records" | "max_bytes" | "isolation" | "encoding">;
type FetchedPartition = ResponseFields<"fetch">;
type FetchedRecord = NonNullable<FetchedPartition["records"]>[number];
type ShownPart = Pick<FetchedPartition, "records" | "next_offset">;

export class FetchReading {
  readonly #options: FetchOptions;
  readonly #budget: FetchBudget;
  #recordsLeft: number;

  constructor(cluster: BrokerCluster, options: FetchOptions) {
    this.#options = options;
    this.#budget = new FetchBudget(cluster, { bytesMax: options.max_bytes, isolation: options.isolation });
    this.#recordsLeft = options.max_records;
  }

  /** Bytes of batches that were read so far. */
  get bytesRead(): number {
    return this.#budget.bytesRead;
  }

  /** Reads on from `offset`, at most `bytesMax` of what is left. Throws what the kernel refuses. */
  read(place: TopicPartition, offset: number, bytesMax = this.#options.max_bytes): FetchedPartition {
    const isSpent = this.#options.encoding === "records" && this.#recordsLeft === 0;
    const result = this.#budget.read(place, offset, isSpent ? 0 : bytesMax);
    const marks = {
      high_watermark: result.highWatermark,
      last_stable_offset: result.lastStableOffset,
      log_start_offset: result.logStartOffset,
    };
    if (this.#options.encoding === "records") return { ...marks, ...this.#shown(result, offset) };
    return {
      ...marks,
      next_offset: result.nextOffset,
      batches_b64: result.batches,
      ...(this.#options.isolation === "read_committed" && {
        aborted_transactions: result.abortedTransactions.map(abortedFields),
      }),
    };
  }

  #shown(result: FetchResult, offset: number): ShownPart {
    const limits = { recordsMax: this.#recordsLeft, unpackedBytesMax: this.#budget.bytesLeft };
    const shown = shownRecords(result.batches, offset, limits, result.abortedTransactions);
    this.#budget.spend(shown.unpackedBytes);
    this.#recordsLeft -= shown.records.length;
    return { records: shown.records.map(onTheWire), next_offset: shown.nextOffset ?? result.nextOffset };
  }
}

/** How much a fetch waits for. */
export function patienceOf(
  request: Pick<ParsedRequest<"fetch">, "min_bytes" | "max_wait_ms" | "max_bytes" | "isolation">,
): Patience {
  const { min_bytes: minBytes, max_wait_ms: maxWaitMs, max_bytes: maxBytes, isolation } = request;
  return { minBytes, maxWaitMs, maxBytes, isolation };
}

function abortedFields({ producerId, firstOffset, lastOffset }: AbortedRange) {
  return { producer_id: producerId, first_offset: firstOffset, last_offset: lastOffset };
}

function nullableBase64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : encodeBase64(bytes);
}

export function onTheWire({ offset, key, value, timestampMs, headers }: StoredRecord): FetchedRecord {
  return {
    offset,
    key_b64: nullableBase64(key),
    value_b64: nullableBase64(value),
    timestamp_ms: timestampMs,
    headers: headers.map((header) => ({ key: header.key, value_b64: nullableBase64(header.value) })),
  };
}
