/** Records of a simulated client: each carries its name in a header, so that whoever reads it knows it again. */
import type { FetchResult } from "@minikafka/core";
import { decodeRecords, encodeBatch, type Record, readBatchHeader, splitFrames } from "@minikafka/record";
import type { Isolation, SeenRecord, SentRecord, Sequence } from "../history/history.ts";

const ID_HEADER = "id";

export interface BatchOf {
  readonly records: readonly SentRecord[];
  readonly timestampMs: number;
  readonly sequence: Sequence | null;
  readonly isTransactional: boolean;
  /** How long each value is. */
  readonly valueBytes: number;
}

export function frameOf({ records, timestampMs, sequence, isTransactional, valueBytes }: BatchOf): Buffer {
  const wire = records.map(
    ({ id, key, isTombstone }): Record => ({
      key: key === null ? null : Buffer.from(key),
      value: isTombstone ? null : Buffer.alloc(valueBytes, id),
      timestampMs,
      headers: [{ key: ID_HEADER, value: Buffer.from(id) }],
    }),
  );
  return encodeBatch({ records: wire, ...sequence, transactional: isTransactional });
}

/** What an application gets of a fetch, as a consumer reads it. */
export function seenIn(fetched: FetchResult, fromOffset: number, isolation: Isolation): SeenRecord[] {
  const seen: SeenRecord[] = [];
  for (const frame of splitFrames(fetched.batches)) {
    const { baseOffset, producerId, control, transactional } = readBatchHeader(frame);
    const isAborted =
      transactional &&
      isolation === "read_committed" &&
      fetched.abortedTransactions.some(
        (aborted) =>
          aborted.producerId === producerId &&
          baseOffset >= aborted.firstOffset &&
          baseOffset < aborted.lastOffset,
      );
    if (control !== null || isAborted) continue;
    for (const { offset, key, value, headers } of decodeRecords(frame)) {
      if (offset < fromOffset) continue;
      const id = headers.find((header) => header.key === ID_HEADER)?.value?.toString() ?? "(no id)";
      seen.push({ offset, id, key: key?.toString() ?? null, isTombstone: value === null });
    }
  }
  return seen;
}
