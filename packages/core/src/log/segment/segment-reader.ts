/**
 * Reads whole batches out of one segment's file.
 *
 * Invariants: what is returned was checked byte by byte against its CRC and stands in the order of offsets; it is one part
 * of one read, not copied.
 * Never: a byte of a damaged batch returned; more memory taken than the limits of the read and one batch ask for.
 */
import {
  type BatchHeader,
  type Compression,
  frameProblem,
  HEADER_BYTES,
  prefixProblem,
  readBatchHeader,
} from "@minikafka/record";
import { assert } from "../../assert.ts";
import type { DiskFile } from "../../env/disk.ts";
import { type BrokerError, storageError } from "../../errors.ts";
import { orderProblem, scanFrames } from "../frames/frame-scan.ts";
import { FrameWindow } from "../frames/frame-window.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { SegmentIndex } from "../indexes/segment-index.ts";

export interface ReadLimits {
  /** The first batch is returned whole even if it is larger. */
  readonly bytesMax: number;
  /** No batch is returned that begins here or later. */
  readonly endOffset: number;
}

export interface ReadBatches {
  /** Whole frames, one after another. The first may begin below the offset that was asked for. */
  readonly batches: Buffer;
  /** Where to go on. */
  readonly nextOffset: number;
}

/** The bytes that count, and how far apart index entries usually lie. */
export interface SegmentBytes {
  readonly file: DiskFile;
  readonly sizeBytes: number;
  readonly frameBytesMax: number;
  readonly indexIntervalBytes: number;
  /** What unpacks compressed batches, if something does. */
  readonly compression?: Compression | undefined;
}

interface ReadRequest {
  readonly offset: number;
  readonly limits: ReadLimits;
}

/** The index named a place where no such batch begins. */
interface FalseHit {
  readonly falseHit: string;
}

/**
 * The batches from the one that holds `offset` on, which must be in the segment. An index that leads astray is made anew.
 * Throws STORAGE_ERROR, DiskError.
 */
export function readByIndex(
  segment: SegmentBytes,
  index: Pick<SegmentIndex, "lookup" | "rebuild">,
  request: ReadRequest,
): ReadBatches {
  const hit = index.lookup(request.offset);
  const result = readBatches(segment, { hit, ...request });
  if (!("falseHit" in result)) return result;
  if (hit.position > 0) index.rebuild(result.falseHit);
  return readFrom(segment, index.lookup(request.offset), request);
}

/** The same by a `hint` where to begin; from the first batch on where it leads astray. */
export function readByHint(
  segment: SegmentBytes,
  hint: IndexHit,
  request: ReadRequest & { readonly baseOffset: number },
): ReadBatches {
  const result = readBatches(segment, { hit: hint, ...request });
  if (!("falseHit" in result)) return result;
  return readFrom(segment, { offset: request.baseOffset, position: 0 }, request);
}

/** From a `hit` that is true: the first batch is where it is, whatever an index says; and one made anew leads where a batch was. */
function readFrom(segment: SegmentBytes, hit: IndexHit, request: ReadRequest): ReadBatches {
  const result = readBatches(segment, { hit, ...request });
  if ("falseHit" in result)
    throw damage(segment, { position: hit.position, problem: result.falseHit }, hit.offset);
  return result;
}

/** The batches from the one that holds `offset` on, which lies at or behind `hit`. Throws STORAGE_ERROR, DiskError. */
function readBatches(
  segment: SegmentBytes,
  { hit, offset, limits }: { hit: IndexHit; offset: number; limits: ReadLimits },
): ReadBatches | FalseHit {
  const window = new FrameWindow(segment.file, {
    end: segment.sizeBytes,
    chunkBytes: segment.indexIntervalBytes + limits.bytesMax,
  });
  const found = findBatch(window, segment, hit, offset);
  return "falseHit" in found ? found : takeBatches(window, segment, found, limits);
}

interface FoundBatch {
  readonly position: number;
  readonly header: BatchHeader;
}

/** Steps over the batches between `hit` and the one that holds `offset`, by their headers. */
function findBatch(
  window: FrameWindow,
  segment: SegmentBytes,
  hit: IndexHit,
  offset: number,
): FoundBatch | FalseHit {
  let { position } = hit;
  let nextOffset = hit.offset;
  while (position < segment.sizeBytes) {
    const at = window.reach(position, HEADER_BYTES);
    const header =
      prefixProblem(window.bytes, at, segment.frameBytesMax) ?? readBatchHeader(window.bytes, at);
    const problem = typeof header === "string" ? header : orderProblem(header, nextOffset);
    if (typeof header === "string" || problem !== null) {
      if (position === hit.position) return { falseHit: problem ?? "" };
      throw firstDamage(segment, hit, { position, problem: problem ?? "" });
    }
    if (header.nextOffset > offset) return { position, header };
    position += header.frameBytes;
    nextOffset = header.nextOffset;
  }
  const problem = `the batches end at offset ${nextOffset}, expected ${offset} among them`;
  throw firstDamage(segment, hit, { position: segment.sizeBytes, problem });
}

function takeBatches(
  window: FrameWindow,
  segment: SegmentBytes,
  first: FoundBatch,
  { bytesMax, endOffset }: ReadLimits,
): ReadBatches {
  const start = window.reach(first.position, first.header.frameBytes);
  const { bytes } = window;
  let end = start;
  let nextOffset = first.header.baseOffset;
  while (bytes.length - end >= HEADER_BYTES) {
    const isFirst = end === start;
    const header = readBatchHeader(bytes, end);
    if (!isFirst && header.baseOffset >= endOffset) break;
    if (!isFirst && end - start + header.frameBytes > bytesMax) break;
    // What follows the first may end outside of what was read; and what is damaged there is for the read that begins at it.
    const problem =
      frameProblem(bytes, end, segment.frameBytesMax) ?? (isFirst ? null : orderProblem(header, nextOffset));
    if (problem !== null) {
      if (isFirst) throw damage(segment, { position: first.position, problem }, nextOffset);
      break;
    }
    end += header.frameBytes;
    nextOffset = header.nextOffset;
  }
  if (end === start) {
    const problem = `the file ends after ${bytes.length - start} of the batch's bytes`;
    throw damage(segment, { position: first.position, problem }, nextOffset);
  }
  return { batches: bytes.subarray(start, end), nextOffset };
}

interface Damage {
  readonly position: number;
  readonly problem: string;
}

/**
 * The batches don't follow each other any more at `broken`. A false size further up leads there as well, so that the first
 * batch from `hit` on with a wrong CRC is the one to name.
 */
function firstDamage(segment: SegmentBytes, hit: IndexHit, broken: Damage): BrokerError {
  const { file, sizeBytes, frameBytesMax } = segment;
  const end = scanFrames(
    file,
    { from: hit.position, end: sizeBytes, offset: hit.offset, frameBytesMax, check: "whole" },
    ({ position }) => position < broken.position,
  );
  if (end.problem === null) return damage(segment, broken, end.nextOffset);
  return damage(segment, { position: end.position, problem: end.problem }, end.nextOffset);
}

/** Whoever reads is told where, and of which batch; the bytes themselves stay as they are. */
export function damage(
  { file }: { readonly file: { readonly path: string } },
  { position, problem }: Damage,
  offset: number,
): BrokerError {
  assert(offset >= 0, `damage at offset ${offset}`);
  return storageError(problem, {
    file: file.path,
    position,
    expected: `the whole batch of offset ${offset}`,
    details: { offset },
  });
}
