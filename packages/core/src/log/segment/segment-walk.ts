/**
 * Walks over the batches of one segment for whom damage does not end the walk: who looks closer, and the indexes, which are
 * the only way to what lies behind it.
 */
import type { BatchHeader } from "@minikafka/record";
import { type ScannedFrame, scanFrames } from "../frames/frame-scan.ts";
import { type WalkedFrame, walkFrames } from "../frames/frame-walk.ts";
import type { WalkEnd } from "../indexes/index-walk.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { SegmentBytes } from "./segment-reader.ts";

interface LookRequest {
  /** Where an index says to begin. */
  readonly hit: IndexHit;
  /** The segment's own. */
  readonly baseOffset: number;
  readonly withRecords: boolean;
}

/**
 * The batches from `hit` on, damaged ones with what is wrong; from the first on where no whole batch begins at `hit`.
 * Throws DiskError.
 */
export function* lookFrom(
  { file, sizeBytes: end, frameBytesMax, indexIntervalBytes, compression }: SegmentBytes,
  { hit, baseOffset, withRecords }: LookRequest,
): Generator<WalkedFrame> {
  const rest = { end, frameBytesMax, withRecords, compression, chunkBytes: 16 * indexIntervalBytes };
  const walkFrom = (start: IndexHit) =>
    walkFrames(file, { ...rest, from: start.position, offset: start.offset });
  const [first] = walkFrom(hit);
  // An index may be wrong; only the first batch is where it is, whatever happens.
  const isTrue = hit.position === 0 || first?.problem === null;
  yield* walkFrom(isTrue ? hit : { offset: baseOffset, position: 0 });
}

/**
 * Tells of each batch up to `end`, or up to where none can be told from the next. `isSound` as long as no batch is damaged:
 * what lies behind is told by the headers alone. Throws DiskError.
 */
export function walkPastDamage(
  { file, frameBytesMax }: SegmentBytes,
  { baseOffset, end }: { readonly baseOffset: number; readonly end: number },
  visit: (header: BatchHeader, position: number, isSound: boolean) => void,
): WalkEnd {
  const visitAs = (isSound: boolean) => (frame: ScannedFrame) => {
    visit(frame.header, frame.position, isSound);
    return true;
  };
  const whole = { from: 0, offset: baseOffset, end, frameBytesMax };
  const sound = scanFrames(file, { ...whole, check: "whole" }, visitAs(true));
  if (sound.problem === null) return { position: sound.position, isSound: true };
  const behind = { ...whole, from: sound.position, offset: sound.nextOffset };
  const rest = scanFrames(file, { ...behind, check: "headers" }, visitAs(false));
  return { position: rest.position, isSound: false };
}
