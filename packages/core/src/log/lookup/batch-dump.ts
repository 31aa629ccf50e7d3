/**
 * The batches of an open log as they lie in its files, for who wants to look closer: damaged ones come with what is wrong
 * instead of an error, and the walk goes on behind them.
 *
 * Never: more read in one go than the limits and one segment's damage ask for; an answer that leads nowhere.
 */

import type { WalkedFrame } from "../frames/frame-walk.ts";
import type { AbortedEntry } from "../indexes/aborted-index.ts";
import type { IndexHit } from "../indexes/offset-index.ts";
import type { TimedOffset } from "../indexes/segment-times.ts";
import type { SegmentList } from "../segment/segment-list.ts";

export interface DumpLimits {
  readonly batchesMax: number;
  /** Bytes of all batches together, and what those whose records are told unpack to; one is always returned. */
  readonly bytesMax: number;
  readonly withRecords: boolean;
  /** Default false. */
  readonly withIndexes?: boolean;
}

/** A frame, or with a `header` that is `null` the place from which on nothing can be read in that segment. */
export interface DumpedBatch extends WalkedFrame {
  readonly segmentBaseOffset: number;
}

/** The entries of one segment's indexes. */
export interface DumpedIndexes {
  readonly segmentBaseOffset: number;
  readonly offsets: readonly IndexHit[];
  readonly times: readonly TimedOffset[];
  /** Of the abort markers among the batches. */
  readonly aborted: readonly AbortedEntry[];
}

export interface LogDump {
  readonly batches: readonly DumpedBatch[];
  /** The entries that lead to these batches; none unless they were asked for. */
  readonly indexes: readonly DumpedIndexes[];
  /** Where to go on; the log end offset when there is no more. */
  readonly nextOffset: number;
}

/** From the batch that holds `offset`, which must be in the log. Throws DiskError. */
export function dumpBatches(segments: SegmentList, offset: number, limits: DumpLimits): LogDump {
  const dump = walkBatches(segments, offset, limits);
  return { ...dump, indexes: limits.withIndexes === true ? entriesFor(dump.batches, segments) : [] };
}

/** The entries that lead to one of `batches`, by segment. */
function entriesFor(batches: readonly DumpedBatch[], segments: SegmentList): DumpedIndexes[] {
  const sound = batches.filter(({ problem }) => problem === null);
  const bases = new Set(sound.map(({ header }) => header?.baseOffset));
  const segmentBases = new Set(sound.map(({ segmentBaseOffset }) => segmentBaseOffset));
  const leadsThere = ({ offset }: { readonly offset: number }) => bases.has(offset);
  return [...segmentBases].map((segmentBaseOffset) => {
    const { offsets, times, aborted } = segments.holding(segmentBaseOffset).indexEntries();
    return {
      segmentBaseOffset,
      offsets: offsets.filter(leadsThere),
      times: times.filter(leadsThere),
      aborted: aborted.filter(({ lastOffset }) => bases.has(lastOffset)),
    };
  });
}

function walkBatches(
  segments: SegmentList,
  offset: number,
  limits: DumpLimits,
): Pick<LogDump, "batches" | "nextOffset"> {
  const batches: DumpedBatch[] = [];
  let bytes = 0;
  let nextOffset = offset;
  while (nextOffset < segments.active.nextOffset) {
    const segment = segments.holding(nextOffset);
    const segmentBaseOffset = segment.baseOffset;
    // Which offsets a damaged batch held is known once the sound one behind it is.
    let damaged: DumpedBatch[] = [];
    for (const frame of segment.look(nextOffset, limits)) {
      const { header, problem } = frame;
      if (header === null || problem !== null) {
        damaged.push({ ...frame, segmentBaseOffset });
        continue;
      }
      const frameBytes = header.frameBytes + (frame.unpackedBytes ?? 0);
      const isFull = batches.length >= limits.batchesMax || bytes + frameBytes > limits.bytesMax;
      if (batches.length > 0 && isFull) return { batches, nextOffset };
      if (header.baseOffset > offset) batches.push(...damaged);
      damaged = [];
      if (header.nextOffset <= offset) continue;
      batches.push({ ...frame, segmentBaseOffset });
      bytes += frameBytes;
      nextOffset = header.nextOffset;
    }
    batches.push(...damaged);
    nextOffset = segment.nextOffset;
  }
  return { batches, nextOffset };
}
