/** What a partition's leader answers to who reads: batches up to the visible end, and offsets by time. */
import { readBatchHeader } from "@minikafka/record";
import { assert } from "../assert.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { PartitionLog } from "../log/partition-log.ts";
import type { ReadBatches } from "../log/segment/segment-reader.ts";
import type { FetchOptions, FetchResult, FoundOffset, Isolation } from "./partition-view.ts";
import { partitionName, type TopicPartition } from "./topic-partition.ts";

/** Kafka's ListOffsets: two times that are none. */
export const EARLIEST_TIMESTAMP = -2;
export const LATEST_TIMESTAMP = -1;

/** A partition as its readers see it. */
export interface ReadablePartition {
  readonly place: TopicPartition;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  /** Throws when nobody leads. */
  readonly leaderLog: PartitionLog;
  readonly assignedLeaderId: number | null;
  visibleEnd(isolation?: Isolation): number;
}

/** See PartitionReplicaSet.fetch. */
export function fetchBatches(
  partition: ReadablePartition,
  offset: number,
  { bytesMax, isolation }: FetchOptions,
  env: Env,
): FetchResult {
  assert(Number.isSafeInteger(bytesMax) && bytesMax >= 0, `a fetch cannot return at most ${bytesMax} bytes`);
  const { leaderLog: log, place, highWatermark, lastStableOffset } = partition;
  requireInRange(offset, log, place);
  const endOffset = partition.visibleEnd(isolation);
  const { batches, nextOffset } =
    offset >= endOffset || bytesMax === 0
      ? { batches: NO_BYTES, nextOffset: offset }
      : readBelow(log, offset, { bytesMax: Math.min(bytesMax, LIMITS.fetchBytesMax), endOffset });
  const brokerId = partition.assignedLeaderId ?? -1;
  const abortedTransactions =
    isolation === "read_committed" && batches.length > 0 ? log.abortedTransactions(offset, nextOffset) : [];
  const { length: bytes } = batches;
  env.trace({ kind: "fetched", brokerId, ...place, offset, nextOffset, bytes, highWatermark });
  const { logStartOffset } = log;
  return { batches, highWatermark, lastStableOffset, logStartOffset, nextOffset, abortedTransactions };
}

/** See PartitionReplicaSet.listOffsets. */
export function findOffset(
  partition: ReadablePartition,
  timestampMs: number,
  isolation?: Isolation,
): FoundOffset {
  const { leaderLog: log } = partition;
  if (timestampMs === EARLIEST_TIMESTAMP) return { offset: log.logStartOffset, timestampMs: null };
  if (timestampMs === LATEST_TIMESTAMP) return { offset: partition.visibleEnd(isolation), timestampMs: null };
  if (!Number.isSafeInteger(timestampMs) || timestampMs < 0) {
    const message = `timestamp_ms is ${timestampMs}; expected milliseconds since 1970, -1 (latest) or -2 (earliest)`;
    throw new BrokerError("INVALID_REQUEST", message);
  }
  const found = log.offsetForTimestamp(timestampMs, partition.visibleEnd(isolation));
  return found ?? { offset: null, timestampMs: null };
}

/**
 * Without a batch that reaches above `endOffset`: nobody is shown a part of one. After an unclean promotion the high watermark may lie
 * inside of a batch that the last leader never held (Kafka reads up to the beginning of the batch that holds the high watermark).
 */
function readBelow(
  log: PartitionLog,
  offset: number,
  limits: { readonly bytesMax: number; readonly endOffset: number },
): ReadBatches {
  const read = log.read(offset, limits);
  if (read.nextOffset <= limits.endOffset) return read;
  // It is the last one, since no batch was read that begins at the end or later.
  let [position, last] = [0, readBatchHeader(read.batches)];
  while (last.nextOffset < read.nextOffset) {
    position += last.frameBytes;
    last = readBatchHeader(read.batches, position);
  }
  return { batches: read.batches.subarray(0, position), nextOffset: Math.max(offset, last.baseOffset) };
}

function requireInRange(
  offset: number,
  { logStartOffset, logEndOffset }: PartitionLog,
  place: TopicPartition,
): void {
  if (offset >= logStartOffset && offset <= logEndOffset) return;
  throw new BrokerError(
    "OFFSET_OUT_OF_RANGE",
    `offset ${offset} of ${partitionName(place)} is not there; expected ${logStartOffset} to ${logEndOffset}`,
    { offset, log_start_offset: logStartOffset, log_end_offset: logEndOffset },
  );
}

const NO_BYTES = Buffer.alloc(0);
