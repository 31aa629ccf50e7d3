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

/** What the value of a marker's frame says; `null` when it is none that this program wrote. */
export function readMarker(frame: Buffer): Pick<Marker, "coordinatorEpoch" | "firstOffset"> | null {
  const [value = null] = decodeRecordsAs(frame, (_offset, _timestampMs, _key, bytes) => bytes);
  if (value === null || value.length < VALUE_BYTES || value.readInt16BE(0) !== 0) return null;
  return { coordinatorEpoch: value.readInt32BE(2), firstOffset: readInt64(value, 6) };
}
