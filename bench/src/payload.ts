/** The records of a workload, and the same records as the lines that carry them: made before anything is timed. */
import { randomBytes } from "node:crypto";
import type { ProducedRecord } from "@minikafka/client";
import { encodeBatch, HEADER_BYTES, type Record, recordBytes } from "@minikafka/record";
import type { Workload } from "./plan.ts";

/** How much of a topic is made; a measurement sends it again and again. More than a processor's nearer caches hold. */
const DISTINCT_BYTES = 4 * 1024 * 1024;

/** Values that cannot be told from chance, so that nothing on the way has it easy. */
export function recordsFor({ recordBytes: valueBytes }: Workload, topic: string): ProducedRecord[] {
  const bytes = randomBytes(DISTINCT_BYTES);
  const records: ProducedRecord[] = [];
  for (let end = valueBytes; end <= bytes.length; end += valueBytes) {
    records.push({ topic, partition: 0, value: bytes.subarray(end - valueBytes, end) });
  }
  return records;
}

/** One produce request, as it comes in from a socket. */
export interface BatchLine {
  readonly line: Buffer;
  readonly valueBytes: number;
}

/** Full batches of the workload, each in the line in which a producer would send it. */
export function linesFor(workload: Workload): BatchLine[] {
  const timestampMs = Date.now();
  const records = recordsFor(workload, "bench").map(
    ({ value }): Record => ({ key: null, value: value as Buffer, timestampMs, headers: [] }),
  );
  const lines: BatchLine[] = [];
  for (let from = 0; from < records.length; ) {
    const to = endOfBatch(records, from, workload.batchBytes);
    const frame = encodeBatch({ records: records.slice(from, to) });
    const fields = { topic: "bench", partition: 0, acks: "1", operation: "produce", id: lines.length };
    const line = Buffer.from(JSON.stringify({ ...fields, batch_b64: frame.toString("base64") }));
    lines.push({ line, valueBytes: (to - from) * workload.recordBytes });
    from = to;
  }
  return lines;
}

function endOfBatch(records: readonly Record[], from: number, batchBytes: number): number {
  let bytes = HEADER_BYTES;
  let to = from;
  for (; to < records.length; to += 1) {
    const record = records[to] as Record;
    bytes += recordBytes(record, to - from, record.timestampMs);
    if (bytes > batchBytes) break;
  }
  return to;
}
