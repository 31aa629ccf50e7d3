/**
 * What a producer sent, as one number: the CRC-32 of a frame from the producer's id on, that is, of everything that no
 * broker changes. It follows from the header alone, so that whoever walks over headers learns it without reading a record.
 */
import { type BatchHeader, CODECS, FLAG, FRAME_PREFIX_BYTES, POSITION, writeInt64 } from "./batch-header.ts";
import { followingCrc } from "./crc-change.ts";

const FRONT_BYTES = POSITION.producerId - FRAME_PREFIX_BYTES;

/**
 * Two batches of one producer id, epoch and sequence with the same number here hold the same records. Times do not count:
 * who sends records without any gets the broker's clock, and a retry gets another reading of it. `null` for a batch that
 * compaction has made, which may hold less than was sent.
 */
export function contentCrc(header: BatchHeader): number | null {
  const { recordCount, lastOffsetDelta, deleteHorizonMs } = header;
  if (recordCount !== lastOffsetDelta + 1 || deleteHorizonMs !== null) return null;
  return followingCrc(header.crc, frontOf(header), header.frameBytes - POSITION.producerId);
}

/** The bytes between the CRC and the producer's id. */
function frontOf(header: BatchHeader): Buffer {
  const front = Buffer.alloc(FRONT_BYTES);
  const at = (position: number) => position - FRAME_PREFIX_BYTES;
  front.writeUInt8(header.version, at(POSITION.version));
  front.writeUInt8(flagsOf(header), at(POSITION.flags));
  writeInt64(front, at(POSITION.baseOffset), header.baseOffset);
  front.writeInt32BE(header.leaderEpoch, at(POSITION.leaderEpoch));
  front.writeInt32BE(header.lastOffsetDelta, at(POSITION.lastOffsetDelta));
  writeInt64(front, at(POSITION.firstTimestampMs), header.firstTimestampMs);
  writeInt64(front, at(POSITION.maxTimestampMs), header.maxTimestampMs);
  return front;
}

function flagsOf({ transactional, control, codec, timestampType }: BatchHeader): number {
  const codecBits = codec === null ? 0 : CODECS.indexOf(codec) << 3;
  const controlBit = control === null ? 0 : FLAG[control];
  return (
    (transactional ? FLAG.transactional : 0) |
    controlBit |
    codecBits |
    (timestampType === "append" ? FLAG.appendTime : 0)
  );
}
