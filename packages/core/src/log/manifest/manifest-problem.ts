/** What a manifest must not say: a file with a right CRC that was written by a fault, or by hand, is refused by name. */
import { parseFileName, segmentFileName } from "../files/file-names.ts";
import { snapshotsProblem } from "../producers/producer-snapshot.ts";
import type { EpochEntry } from "./leader-epochs.ts";
import { type Manifest, recoverySegment } from "./manifest.ts";

/** Why what it says does not agree with itself, or `null`. */
export function manifestProblem(manifest: Manifest): string | null {
  return (
    numbersProblem(manifest) ??
    snapshotsProblem(manifest.producerSnapshots, manifest.recoveryPoint.offset) ??
    obsoleteProblem(manifest) ??
    epochsProblem(manifest)
  );
}

function numbersProblem(manifest: Manifest): string | null {
  const { logStartOffset, sealed, recoveryPoint } = manifest;
  let nextOffset: number | null = null;
  for (const segment of sealed) {
    if (nextOffset !== null && segment.baseOffset !== nextOffset)
      return `segment ${segment.baseOffset} follows offset ${nextOffset}`;
    if (segment.nextOffset <= segment.baseOffset || segment.sizeBytes === 0)
      return `segment ${segment.baseOffset} is sealed empty`;
    if ((segment.aborted?.firstOffset ?? -1) >= segment.nextOffset)
      return `a transaction that segment ${segment.baseOffset} aborts begins behind it`;
    nextOffset = segment.nextOffset;
  }
  const { offset, segmentBaseOffset, position } = recoveryPoint;
  if (nextOffset !== null && segmentBaseOffset !== nextOffset)
    return `the recovery point's segment ${segmentBaseOffset} follows offset ${nextOffset}`;
  if (offset < segmentBaseOffset || (position === 0) !== (offset === segmentBaseOffset))
    return `the recovery point ${offset} cannot be at ${position} of segment ${segmentBaseOffset}`;
  if ((manifest.recoveryPoint.aborted?.firstOffset ?? -1) >= offset)
    return "a transaction that was aborted begins behind the recovery point";
  if (manifest.firstDirtyOffset > segmentBaseOffset)
    return `the first dirty offset ${manifest.firstDirtyOffset} lies behind the sealed segments, ${segmentBaseOffset}`;
  const firstOffset = sealed[0]?.baseOffset ?? segmentBaseOffset;
  if (logStartOffset < firstOffset || logStartOffset > offset)
    return `the log start offset ${logStartOffset} is not among ${firstOffset} to ${offset}`;
  return null;
}

/** A segment that is begun later must never get a name that would be removed at the next open. */
function obsoleteProblem({ sealed, recoveryPoint, obsolete }: Manifest): string | null {
  if (obsolete.length === 0) return null;
  const counted = new Set([...sealed, recoverySegment(recoveryPoint)].map(segmentFileName));
  for (const fileName of obsolete) {
    const { baseOffset = 0, generation = 0 } = parseFileName(fileName) ?? {};
    if (counted.has(fileName)) return `${fileName} is obsolete, and counts`;
    if (generation === 0 && baseOffset > recoveryPoint.segmentBaseOffset)
      return `${fileName} is obsolete, and lies behind the recovery point`;
  }
  return null;
}

function epochsProblem({ logStartOffset, recoveryPoint, leaderEpochs }: Manifest): string | null {
  let last: EpochEntry = { leaderEpoch: -1, startOffset: -1 };
  for (const entry of leaderEpochs) {
    if (entry.leaderEpoch <= last.leaderEpoch || entry.startOffset <= last.startOffset)
      return `leader epoch ${entry.leaderEpoch} at ${entry.startOffset} follows ${last.leaderEpoch} at ${last.startOffset}`;
    last = entry;
  }
  const { offset } = recoveryPoint;
  if (last.startOffset > offset) return `leader epoch ${last.leaderEpoch} begins behind the recovery point`;
  const first = leaderEpochs[0]?.startOffset ?? offset;
  if (first > logStartOffset) return `no leader epoch is known from ${logStartOffset} to ${first}`;
  return null;
}
