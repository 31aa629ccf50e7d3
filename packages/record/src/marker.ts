/**
 * A transaction marker: a control batch of one record, which ends its producer's transaction in one partition (KIP-98).
 *
 * Key: version i16 (0), type i16 (0 abort, 1 commit), as in Kafka. Value: version i16 (0), coordinator epoch i32, as in Kafka,
 * then the offset i64 of the transaction's first record in this partition, so that a segment's aborted transactions follow from
 * its own bytes. Readers of Kafka's format take what they know and pass over the rest.
 */
import { BatchBuilder } from "./batch-builder.ts";
import { FLAG, POSITION, readInt64, writeInt64 } from "./batch-header.ts";
import { sealFrame } from "./frame-seal.ts";
import { decodeRecordsAs } from "./records-section.ts";

export interface Marker {
  readonly control: "commit" | "abort";
  readonly producerId: number;
  /** The one that follows the transaction's, so that nothing late of it is taken (KIP-890). */
  readonly producerEpoch: number;
  /** Kafka: the leader epoch of the coordinator's partition. */
  readonly coordinatorEpoch: number;
  /** Of the transaction's first record in this partition. */
  readonly firstOffset: number;
  readonly timestampMs: number;
}

const KEY_BYTES = 4;
const VALUE_BYTES = 14;

/** The unassigned frame of a marker. */
export function encodeMarker(marker: Marker): Buffer {
  const { control, producerId, producerEpoch, coordinatorEpoch, firstOffset, timestampMs } = marker;
  const key = Buffer.alloc(KEY_BYTES);
  key.writeInt16BE(control === "commit" ? 1 : 0, 2);
  const value = Buffer.alloc(VALUE_BYTES);
  value.writeInt32BE(coordinatorEpoch, 2);
  writeInt64(value, 6, firstOffset);
  const builder = new BatchBuilder(128);
  builder.add({ key, value, timestampMs, headers: [] });
  const frame = builder.finish({ producerId, producerEpoch, transactional: true });
  frame.writeUInt8(FLAG.transactional | FLAG[control], POSITION.flags);
  sealFrame(frame);
  return frame;
}

/** What a marker's value says. */
export type MarkerValue = Pick<Marker, "coordinatorEpoch" | "firstOffset">;

/** What the value of a marker's frame says; `null` when it is none that this program wrote. */
export function readMarker(frame: Buffer): MarkerValue | null {
  const [value = null] = decodeRecordsAs(frame, (_offset, _timestampMs, _key, bytes) => bytes);
  return readMarkerValue(value);
}

/** The same of the value alone, as a reader of records has it. */
export function readMarkerValue(value: Uint8Array | null): MarkerValue | null {
  if (value === null || value.length < VALUE_BYTES) return null;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes.readInt16BE(0) !== 0) return null;
  return { coordinatorEpoch: bytes.readInt32BE(2), firstOffset: readInt64(bytes, 6) };
}
