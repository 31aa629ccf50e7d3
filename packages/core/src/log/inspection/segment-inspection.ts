/** One segment and its indexes as inspection tells of them. */
import { type Compression, HEADER_BYTES } from "@minikafka/record";
import type { Disk, DiskFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { segmentPath } from "../files/file-names.ts";
import { type WalkedFrame, walkFrames } from "../frames/frame-walk.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { AbortedIndexCheck } from "./aborted-index-check.ts";
import type { Finding } from "./finding.ts";
import { OffsetIndexCheck, TimeIndexCheck } from "./index-check.ts";

export interface SegmentToInspect {
  readonly disk: Disk;
  readonly folder: string;
  readonly baseOffset: number;
  readonly generation: number;
  /** Whether no segment follows. */
  readonly isLast: boolean;
  /** `null` when it cannot be read: then every flaw counts as damage. */
  readonly manifest: Manifest | null;
  readonly offset: number;
  readonly withRecords: boolean;
  readonly compression: Compression | undefined;
}

/** Returns the offset at which the segment ends, or `null` when that cannot be told. Throws DiskError. */
export function* inspectSegment(segment: SegmentToInspect): Generator<Finding, number | null> {
  const { disk, folder, baseOffset, manifest } = segment;
  const file = disk.openFile(segmentPath(folder, segment), { readOnly: true });
  try {
    const sizeBytes = file.sizeBytes();
    const sealed = manifest?.sealed.some((known) => known.baseOffset === baseOffset) === true;
    yield { kind: "segment", file: file.path, baseOffset, sizeBytes, sealed };
    const nextOffset = yield* inspectFrames(segment, file, sizeBytes);
    yield* extentProblems(segment, file.path, { sizeBytes, nextOffset });
    return nextOffset;
  } finally {
    file.close();
  }
}

function* inspectFrames(
  segment: SegmentToInspect,
  file: DiskFile,
  end: number,
): Generator<Finding, number | null> {
  const { baseOffset, withRecords, compression } = segment;
  const checks = [
    new OffsetIndexCheck(segment),
    new TimeIndexCheck(segment),
    new AbortedIndexCheck(segment, file),
  ];
  const frameBytesMax = LIMITS.batchBytesMax;
  const range = { from: 0, end, offset: baseOffset, frameBytesMax, withRecords, compression };
  let nextOffset: number | null = baseOffset;
  for (const frame of walkFrames(file, range)) {
    const { position, header, problem, records } = frame;
    nextOffset = header !== null && problem === null ? header.nextOffset : null;
    for (const check of checks) check.meet(frame);
    const isWanted = nextOffset === null || nextOffset > segment.offset;
    if (header !== null && isWanted)
      yield {
        kind: "batch",
        file: file.path,
        segmentBaseOffset: baseOffset,
        position,
        header,
        problem,
        records,
      };
    if (problem === null) continue;
    if (isUnfinished(segment, frame, { file, end }))
      yield { kind: "tail", file: file.path, position, problem };
    else if (isRecovered(segment, position))
      yield { ...damage(file, position), problem: `${problem}; ${CUT}` };
    else yield { ...damage(file, position), problem };
  }
  for (const check of checks) yield* check.finding(end);
  return nextOffset;
}

/** What recovery makes of a flaw: it cannot tell one from an append that never ended. */
const CUT = "the next start cuts the log here, with all that follows";

function damage(file: DiskFile, position: number) {
  return { kind: "damage", file: file.path, position } as const;
}

/** Whether recovery reads it: it lies behind what the manifest calls durable. */
function isRecovered({ manifest, baseOffset }: SegmentToInspect, position: number): boolean {
  if (manifest === null) return false;
  const { segmentBaseOffset, position: durable } = manifest.recoveryPoint;
  return baseOffset > segmentBaseOffset || (baseOffset === segmentBaseOffset && position >= durable);
}

/**
 * Whether a flaw may be an append that a crash, or this look, has come in the middle of: it lies behind what the manifest
 * calls durable, and nothing follows it.
 */
function isUnfinished(
  segment: SegmentToInspect,
  { position, header }: WalkedFrame,
  { file, end }: { readonly file: DiskFile; readonly end: number },
): boolean {
  if (!segment.isLast || !isRecovered(segment, position)) return false;
  if (header !== null) return position + header.frameBytes >= end;
  return end - position < HEADER_BYTES || isZero(file, position, end);
}

/** What a power cut leaves where a file had grown and its bytes had not come yet. */
function isZero(file: DiskFile, from: number, end: number): boolean {
  for (let position = from; position < end; position += LIMITS.headerChunkBytes) {
    const bytes = file.readAt(position, Math.min(LIMITS.headerChunkBytes, end - position));
    if (bytes.some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** What the manifest says of the segment and the file doesn't keep. */
function* extentProblems(
  { manifest, baseOffset }: SegmentToInspect,
  file: string,
  seen: { readonly sizeBytes: number; readonly nextOffset: number | null },
): Generator<Finding> {
  if (manifest === null) return;
  const sealed = manifest.sealed.find((known) => known.baseOffset === baseOffset);
  const { segmentBaseOffset, position, offset } = manifest.recoveryPoint;
  const known = { kind: "damage", file, position: seen.sizeBytes } as const;
  if (sealed !== undefined && sealed.sizeBytes !== seen.sizeBytes) {
    yield { ...known, problem: `it has ${seen.sizeBytes} bytes; expected ${sealed.sizeBytes}` };
  } else if (sealed !== undefined && seen.nextOffset !== null && seen.nextOffset !== sealed.nextOffset) {
    yield { ...known, problem: `it ends at offset ${seen.nextOffset}; expected ${sealed.nextOffset}` };
  } else if (baseOffset === segmentBaseOffset && seen.sizeBytes < position) {
    yield {
      ...known,
      problem: `it has ${seen.sizeBytes} bytes; expected ${position} at least, up to offset ${offset}`,
    };
  }
}
