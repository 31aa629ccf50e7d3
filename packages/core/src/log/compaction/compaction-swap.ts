/** What a compaction makes of the manifest: the one change by which it counts. */
import { parseFileName, type SegmentName, segmentFileName } from "../files/file-names.ts";
import { type Manifest, recoverySegment } from "../manifest/manifest.ts";
import type { SegmentExtent } from "../segment/segment-extent.ts";

export interface Swap {
  /** Sealed neighbours, oldest first. */
  readonly from: readonly SegmentExtent[];
  /** Covers the same offsets. */
  readonly to: SegmentExtent;
}

export interface CleanPart {
  readonly firstDirtyOffset: number;
  readonly nextHorizonMs: number | null;
}

/** The segments that were replaced must be in `manifest`. */
export function swapped(manifest: Manifest, swaps: readonly Swap[], cleanPart: CleanPart): Manifest {
  const replaced = new Map<string, SegmentExtent | null>();
  for (const { from, to } of swaps)
    for (const extent of from) replaced.set(segmentFileName(extent), extent === from[0] ? to : null);
  const sealed = manifest.sealed.flatMap((extent) => {
    const instead = replaced.get(segmentFileName(extent));
    return instead === undefined ? [extent] : (instead ?? []);
  });
  return { ...manifest, ...cleanPart, sealed, obsolete: [...manifest.obsolete, ...replaced.keys()] };
}

/** A generation that no file of the log has, nor one that is still to be removed. */
export function nextGeneration({ sealed, recoveryPoint, obsolete }: Manifest): number {
  const left = obsolete.flatMap((fileName): SegmentName[] => {
    const name = parseFileName(fileName);
    return name === null ? [] : [name];
  });
  const names = [...sealed, recoverySegment(recoveryPoint), ...left];
  return names.reduce((highest, { generation }) => Math.max(highest, generation), 0) + 1;
}
