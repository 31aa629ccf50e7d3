/** A batch as `log dump` shows it, from the wire and from a file alike. The names are the protocol's: -J prints them. */
import { type Finding, type FoundBatch, readMarkerValue } from "@minikafka/core/log";
import type { ParsedResponse } from "@minikafka/protocol";
import { recordFields } from "../output/record-json.ts";
import type { ShownRecord } from "../record.ts";

export type ShownBatch = Omit<ParsedResponse<"dump_log">["batches"][number], "records"> & {
  readonly records?: readonly ShownRecord[];
};

export function batchFromFile(
  { records, ...found }: Extract<Finding, { kind: "batch" }>,
  place: { topic: string; partition: number },
): ShownBatch {
  const shown = records?.map((record) => ({ ...place, ...record }));
  return { ...batchFields(found), ...(shown === undefined ? {} : { records: shown }) };
}

/** A batch without its records. */
export function batchFields(found: FoundBatch): Omit<ShownBatch, "records"> {
  const { header, segmentBaseOffset: segment, position, problem } = found;
  return {
    segment,
    position,
    size_bytes: header.frameBytes,
    base_offset: header.baseOffset,
    next_offset: header.nextOffset,
    record_count: header.recordCount,
    leader_epoch: header.leaderEpoch,
    timestamp_type: header.timestampType,
    first_timestamp_ms: header.firstTimestampMs,
    max_timestamp_ms: header.maxTimestampMs,
    producer_id: header.producerId,
    producer_epoch: header.producerEpoch,
    base_sequence: header.baseSequence,
    transactional: header.transactional,
    control: header.control,
    codec: header.codec,
    delete_horizon_ms: header.deleteHorizonMs,
    crc: header.crc,
    problem,
  };
}

export function batchFromWire(
  { records, ...batch }: ParsedResponse<"dump_log">["batches"][number],
  place: { topic: string; partition: number },
): ShownBatch {
  if (records === undefined) return batch;
  const shown = records.map((record) => ({
    ...place,
    offset: record.offset,
    timestampMs: record.timestamp_ms,
    key: record.key_b64,
    value: record.value_b64,
    headers: record.headers.map(({ key, value_b64 }) => ({ key, value: value_b64 })),
  }));
  return { ...batch, records: shown };
}

/** One JSON object, for -J. */
export function batchDocument({ records, ...batch }: ShownBatch): object {
  return {
    type: "batch",
    ...batch,
    ...(records === undefined
      ? {}
      : { records: records.map((record) => ({ ...recordFields(record), ...markerFields(record, batch) })) }),
  };
}

/** What the one record of a control batch says: who wrote it, and where its transaction began. */
function markerFields({ value }: ShownRecord, { control }: Pick<ShownBatch, "control">): object {
  const marker = control === null ? null : readMarkerValue(value);
  if (marker === null) return {};
  return { marker: { coordinator_epoch: marker.coordinatorEpoch, first_offset: marker.firstOffset } };
}

/** Lines in the manner of Kafka's DumpLogSegments, each with its newline. */
export function batchText(batch: ShownBatch): string {
  const sequence = batch.base_sequence;
  const facts: [name: string, value: string | number | boolean][] = [
    ["baseOffset", batch.base_offset],
    ["lastOffset", batch.next_offset - 1],
    ["count", batch.record_count],
    ["baseSequence", sequence],
    ["lastSequence", sequence < 0 ? -1 : sequence + batch.record_count - 1],
    ["producerId", batch.producer_id],
    ["producerEpoch", batch.producer_epoch],
    ["partitionLeaderEpoch", batch.leader_epoch],
    ["isTransactional", batch.transactional],
    ["isControl", batch.control !== null],
    ...(batch.control === null ? [] : [["endTxnMarker", batch.control] as [string, string]]),
    ["position", batch.position],
    [timestampName(batch), batch.max_timestamp_ms],
    ["size", batch.size_bytes],
    ["magic", "MKB1"],
    ["compresscodec", batch.codec ?? "unknown"],
    ...(batch.delete_horizon_ms === null
      ? []
      : [["deleteHorizonMs", batch.delete_horizon_ms] as [string, number]]),
    ["crc", batch.crc],
    ["isvalid", batch.problem === null],
  ];
  const lines = [factsLine(facts), ...(batch.records ?? []).map((record) => recordText(record, batch))];
  return lines.map((line) => `${line}\n`).join("");
}

/** Kafka's names (KIP-32). */
function timestampName({ timestamp_type: type }: ShownBatch): string {
  return type === "append" ? "LogAppendTime" : "CreateTime";
}

function recordText(record: ShownRecord, batch: ShownBatch): string {
  const facts: [string, string | number][] = [
    ["offset", record.offset],
    [timestampName(batch), record.timestampMs],
    ["keySize", record.key?.length ?? -1],
    ["valueSize", record.value?.length ?? -1],
    ["headerKeys", `[${record.headers.map(({ key }) => key).join(",")}]`],
  ];
  const { key, value } = record;
  const marker = batch.control === null ? null : readMarkerValue(value);
  if (batch.control !== null && marker !== null) {
    facts.push(["endTxnMarker", batch.control]);
    facts.push(["coordinatorEpoch", marker.coordinatorEpoch], ["firstOffset", marker.firstOffset]);
    return `| ${factsLine(facts)}`;
  }
  if (key !== null) facts.push(["key", Buffer.from(key).toString()]);
  if (value !== null) facts.push(["payload", Buffer.from(value).toString()]);
  return `| ${factsLine(facts)}`;
}

function factsLine(facts: readonly (readonly [string, string | number | boolean])[]): string {
  return facts.map(([name, value]) => `${name}: ${value}`).join(" ");
}
