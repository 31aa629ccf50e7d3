/**
 * A batch whose records are compressed, and the plain one that it stands for. Header and records are apart in a frame, so that only
 * who looks at records unpacks them; the bytes that are stored and sent stay as a producer packed them.
 */
import {
  type BatchHeader,
  CODECS,
  type Codec,
  FLAG,
  FRAME_PREFIX_BYTES,
  HEADER_BYTES,
  POSITION,
  readBatchHeader,
} from "./batch-header.ts";
import { type Compression, CompressionError, type PackingCodec } from "./compression.ts";
import { sealFrame } from "./frame-seal.ts";

/**
 * What the records of a compressed batch may unpack to. Kafka has no such bound, which lets a batch of zeros take a thousand times its
 * size; sixteen times the largest batch is more than what records that are worth reading are packed to.
 */
export const UNPACKED_BYTES_MAX = 32 * 1024 * 1024;

/** Whether the records of `frame` lie in it as they are, or there are none. */
export function isPlain({ codec, frameBytes }: BatchHeader): boolean {
  return codec === "none" || frameBytes === HEADER_BYTES;
}

/**
 * The whole, checked `frame` with its records unpacked: itself when they are not compressed, else a new one that reads in the same
 * way. The new one is to be read only, since its CRC is still that of `frame`. Throws {@link CompressionError}, "unsupported" where there is no
 * `compression`; "too_large" for records of more than `bytesMax`.
 */
export function plainFrame(
  frame: Buffer,
  compression: Compression | undefined,
  bytesMax = UNPACKED_BYTES_MAX,
): Buffer {
  const header = readBatchHeader(frame);
  if (isPlain(header)) return frame;
  const codec = packingCodec(header.codec);
  if (compression === undefined) throw new CompressionError("unsupported", `${codec} cannot be read here`);
  const records = compression.decompress(codec, frame.subarray(HEADER_BYTES, header.frameBytes), bytesMax);
  return reframed(frame, records, "none");
}

/**
 * The plain `frame` with its records packed, or left as they are for "none", and its CRC; in the form of those of the whole frame `like`,
 * which has the same codec. Throws {@link CompressionError} "unsupported".
 */
export function packedFrame(frame: Buffer, codec: Codec, compression: Compression, like?: Buffer): Buffer {
  const records = frame.subarray(HEADER_BYTES);
  const form = like?.subarray(HEADER_BYTES, readBatchHeader(like).frameBytes);
  const packed = reframed(
    frame,
    codec === "none" ? records : compression.compress(codec, records, form),
    codec,
  );
  sealFrame(packed);
  return packed;
}

function packingCodec(codec: Codec | null): PackingCodec {
  if (codec === null || codec === "none") throw new CompressionError("unsupported", "the codec has no name");
  return codec;
}

function reframed(frame: Buffer, records: Buffer, codec: Codec): Buffer {
  const target = Buffer.allocUnsafe(HEADER_BYTES + records.length);
  frame.copy(target, 0, 0, HEADER_BYTES);
  target.set(records, HEADER_BYTES);
  target.writeUInt32BE(target.length - FRAME_PREFIX_BYTES, POSITION.payloadBytes);
  const flags = frame.readUInt8(POSITION.flags) & ~FLAG.codec;
  target.writeUInt8(flags | (CODECS.indexOf(codec) << 3), POSITION.flags);
  return target;
}
