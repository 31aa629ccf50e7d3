/** A record, a batch, the MKB1 frame: bytes and values. A leaf that knows nobody. */
export {
  assignBatch,
  type BatchContent,
  type BatchPlace,
  type BatchSequence,
  encodeBatch,
  stampAppendTime,
  stampLatestTime,
  stampProducer,
} from "./batch.ts";
export { BatchBuilder, type BatchProducer } from "./batch-builder.ts";
export {
  type BatchHeader,
  CODECS,
  type Codec,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  readBatchHeader,
  readInt64,
  writeInt64,
} from "./batch-header.ts";
export {
  emptiedFrame,
  GAP_OFFSETS_MAX,
  type Gap,
  gapFrame,
  isGap,
  type Thinning,
  thinnedFrame,
} from "./compacted-batch.ts";
export {
  type Compression,
  CompressionError,
  type CompressionProblem,
  type PackingCodec,
} from "./compression.ts";
export { contentCrc } from "./content-crc.ts";
export { frameProblem, prefixProblem, splitFrames } from "./frame-check.ts";
export { type FramedFields, frameRecords, latestTimestampMs } from "./framed-records.ts";
export { encodeMarker, type Marker, type MarkerValue, readMarker, readMarkerValue } from "./marker.ts";
export { nearest } from "./nearest.ts";
export { isPlain, packedFrame, plainFrame, UNPACKED_BYTES_MAX } from "./packed-frame.ts";
export { PRODUCER_EPOCH_MAX, SEQUENCES, sequenceAfter } from "./producer-sequence.ts";
export {
  HEADERS_PER_RECORD_MAX,
  isRecordTimestampMs,
  isTimestampMs,
  NO_TIMESTAMP_MS,
  RECORDS_PER_BATCH_MAX,
  type Record,
  type RecordHeader,
  type StoredRecord,
  TIMESTAMP_MS_MAX,
} from "./record.ts";
export { RecordCursor } from "./record-cursor.ts";
export { recordsProblem, storedRecordsProblem } from "./records-check.ts";
export {
  decodeRecords,
  decodeRecordsAs,
  type MakeRecord,
  recordBodyBytes,
  recordBytes,
  writeRecord,
} from "./records-section.ts";
export { shownValue } from "./shown-value.ts";
export { isUnawaited } from "./unawaited.ts";
export { MalformedVarint } from "./varint.ts";
