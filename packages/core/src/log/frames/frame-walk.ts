/**
 * A walk over the frames of a file for whoever looks for damage: unlike a scan (frame-scan.ts) it does not end at the first
 * frame that is not as it should be, but says what is wrong with it and steps over it where its size leads to another.
 */
import {
  type BatchHeader,
  type Compression,
  decodeRecords,
  frameProblem,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
  type StoredRecord,
} from "@minikafka/record";
import type { DiskFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { orderProblem } from "./frame-scan.ts";
import { FrameWindow } from "./frame-window.ts";
import { type LookedInto, lookInto } from "./unpacked.ts";

export interface WalkRange {
  readonly from: number;
  readonly end: number;
  /** The offset that the frame at `from` should have. */
  readonly offset: number;
  readonly frameBytesMax: number;
  /** Whether the records of sound frames are decoded. */
  readonly withRecords: boolean;
  /** Left out: compressed batches are not looked into. */
  readonly compression?: Compression | undefined;
  /** What one read takes at least. Default LIMITS.scanChunkBytes. */
  readonly chunkBytes?: number;
}

export interface WalkedFrame {
  readonly position: number;
  /** What the header says, true or not; `null` when no frame begins here: then the walk ends. */
  readonly header: BatchHeader | null;
  /** What is wrong, in words; `null` for a sound frame. */
  readonly problem: string | null;
  /** `null` unless they were asked for, for a frame with a problem, and where nothing here reads its codec. */
  readonly records: readonly StoredRecord[] | null;
  /** What a compressed frame takes more than its own bytes, with its records; left out for any other. */
  readonly unpackedBytes?: number;
}

/** Throws DiskError. */
export function* walkFrames(file: DiskFile, range: WalkRange): Generator<WalkedFrame> {
  const { end, frameBytesMax, compression, chunkBytes = LIMITS.scanChunkBytes } = range;
  const window = new FrameWindow(file, { end, chunkBytes });
  let position = range.from;
  // Nobody can say which offset follows a damaged frame.
  let expectedOffset: number | null = range.offset;
  while (position < end) {
    const at = window.reach(position, HEADER_BYTES);
    const noFrame = prefixProblem(window.bytes, at, frameBytesMax);
    if (noFrame !== null) {
      yield { position, header: null, problem: noFrame, records: null };
      return;
    }
    const header = readBatchHeader(window.bytes, at);
    const start = window.reach(position, header.frameBytes);
    const frame = window.bytes.subarray(start, start + header.frameBytes);
    const { plain, problem } = lookAt(frame, header, { frameBytesMax, expectedOffset, compression });
    const records = range.withRecords && plain !== null ? decodeRecords(plain) : null;
    const unpackedBytes = records === null || plain === null ? 0 : plain.length - frame.length;
    yield { position, header, problem, records, ...(unpackedBytes > 0 && { unpackedBytes }) };
    position += header.frameBytes;
    expectedOffset = problem === null ? header.nextOffset : null;
  }
}

interface Expected {
  readonly frameBytesMax: number;
  readonly expectedOffset: number | null;
  readonly compression: Compression | undefined;
}

function lookAt(
  frame: Buffer,
  header: BatchHeader,
  { frameBytesMax, expectedOffset, compression }: Expected,
): LookedInto {
  const problem =
    frameProblem(frame, 0, frameBytesMax) ?? orderProblem(header, expectedOffset ?? header.baseOffset);
  return problem === null ? lookInto(frame, compression) : { plain: null, problem };
}
