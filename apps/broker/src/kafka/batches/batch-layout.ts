/**
 * Kafka's record batch of magic 2 (KIP-98): where each field of its header stands. All integers are big-endian.
 *
 *   0 base offset i64       8 bytes behind this field i32   12 leader epoch i32     16 magic i8
 *  17 CRC-32C u32, of all that follows it                   21 attributes i16       23 last offset delta i32
 *  27 base timestamp i64   35 max timestamp i64             43 producer id i64      51 producer epoch i16
 *  53 base sequence i32    57 record count i32              61 the records, compressed together where a codec is named
 *
 * It says what the header of an MKB1 frame says, in 3 bytes less, and the records are the same bytes.
 */
export const BATCH_HEADER_BYTES = 61;
/** What the length of a batch does not count: the base offset and the length. */
export const BATCH_PREFIX_BYTES = 12;
export const BATCH_MAGIC = 2;

export const PLACE = {
  baseOffset: 0,
  length: 8,
  leaderEpoch: 12,
  /** At the same place in the messages of magic 0 and 1. */
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestampMs: 27,
  maxTimestampMs: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  recordCount: 57,
} as const;

export const ATTRIBUTE = {
  codec: 0x07,
  appendTime: 0x08,
  transactional: 0x10,
  control: 0x20,
  deleteHorizon: 0x40,
} as const;
