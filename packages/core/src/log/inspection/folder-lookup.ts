/**
 * The search for an offset or a time in a partition's folder: the log is not opened, nothing is locked, nothing changed. For
 * the folder of a stopped broker, or of one that runs, of which it is an instant.
 *
 * Invariants: behind the recovery point it goes as far as recovery would.
 */
import { DiskError } from "../../env/disk.ts";
import { BrokerError, storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type SegmentName, segmentPath } from "../files/file-names.ts";
import { scanFrames } from "../frames/frame-scan.ts";
import { latestRecordMs } from "../indexes/time-index-builder.ts";
import { findInLog, type LogFind, type SoughtPlace } from "../lookup/log-find.ts";
import { type Manifest, recoverySegment } from "../manifest/manifest.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";
import { FolderSegment, type FolderToSearch } from "./folder-segment.ts";
import { segmentsIn } from "./inspection.ts";
import { readManifest } from "./manifest-look.ts";

export interface FolderDamage {
  readonly file: string;
  /** `null` for a file that is not read by positions, or that the disk refuses. */
  readonly position: number | null;
  readonly problem: string;
}

export interface FolderFind extends Omit<LogFind, "damage"> {
  readonly damage: FolderDamage | null;
  /** What may be read; an offset outside of it is not sought. `null` when damage hides it. */
  readonly range: { readonly startOffset: number; readonly endOffset: number } | null;
}

/** Damage is a part of the answer, also what the disk refuses. */
export function findInFolder(
  { disk, folder, compression }: Omit<FolderToSearch, "steps">,
  sought: SoughtPlace,
): FolderFind {
  const searched = { disk, folder, compression, steps: [] };
  const segments: FolderSegment[] = [];
  try {
    const { manifest, finding } = readManifest(disk, folder);
    if (manifest === null) {
      const problem = finding.kind === "damage" ? finding.problem : "it cannot be read";
      throw storageError(problem, { file: finding.file });
    }
    for (const extent of extentsIn(searched, manifest)) segments.push(new FolderSegment(searched, extent));
    const range = { startOffset: manifest.logStartOffset, endOffset: segments.at(-1)?.nextOffset ?? 0 };
    const isOutside =
      "offset" in sought && (sought.offset < range.startOffset || sought.offset >= range.endOffset);
    if (isOutside) return { steps: [], batch: null, record: null, damage: null, range };
    return { ...findInLog({ all: () => segments }, sought, range, searched.steps), range };
  } catch (problem) {
    const damage = damageOf(problem);
    if (damage === null) throw problem;
    return { steps: searched.steps, batch: null, record: null, damage, range: null };
  } finally {
    for (const segment of segments) segment.close();
  }
}

/** As far as what is sealed and what recovery would keep. */
function extentsIn(searched: FolderToSearch, manifest: Manifest): SegmentExtent[] {
  const { recoveryPoint: point } = manifest;
  const first = {
    ...recoverySegment(point),
    nextOffset: point.offset,
    sizeBytes: point.position,
    maxTimestampMs: point.maxTimestampMs,
    aborted: point.aborted,
  };
  const extents = [...manifest.sealed, extentOnDisk(searched, first)];
  for (const name of segmentsIn(searched.disk, searched.folder, manifest)) {
    const isNext = name.generation === 0 && name.baseOffset === extents.at(-1)?.nextOffset;
    if (isNext && name.baseOffset > point.segmentBaseOffset)
      extents.push(extentOnDisk(searched, emptyExtent(name.baseOffset)));
  }
  return extents;
}

/** `known`, and the valid batches behind it. */
function extentOnDisk({ disk, folder }: FolderToSearch, known: SegmentExtent): SegmentExtent {
  const file = disk.openFile(segmentPath(folder, known satisfies SegmentName), { readOnly: true });
  try {
    const sizeBytes = file.sizeBytes();
    if (sizeBytes < known.sizeBytes) {
      const expected = `${known.sizeBytes} bytes at least`;
      throw storageError(`it has ${sizeBytes} bytes`, { file: file.path, position: sizeBytes, expected });
    }
    let { maxTimestampMs } = known;
    const { position, nextOffset } = scanFrames(
      file,
      {
        from: known.sizeBytes,
        end: sizeBytes,
        offset: known.nextOffset,
        frameBytesMax: LIMITS.batchBytesMax,
        check: "whole",
      },
      ({ header }) => {
        maxTimestampMs = Math.max(maxTimestampMs, latestRecordMs(header));
        return true;
      },
    );
    return { ...known, nextOffset, sizeBytes: position, maxTimestampMs };
  } finally {
    file.close();
  }
}

function damageOf(problem: unknown): FolderDamage | null {
  if (problem instanceof DiskError) return { file: problem.path, position: null, problem: problem.message };
  if (!(problem instanceof BrokerError) || problem.code !== "STORAGE_ERROR") return null;
  const { file, position } = problem.details;
  return {
    file: String(file),
    position: typeof position === "number" ? position : null,
    problem: problem.message,
  };
}
