/**
 * Whether a log is compacted now, and which of its segments go together into one. Numbers only: nothing is read.
 *
 * A log has a clean part, of which every key is there once, and behind it a part that is not clean yet. Only segments that
 * are sealed and end at or below the clean point are looked at.
 */

/** How far a segment reaches. */
export interface Reach {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
}

/** And of what times. */
export interface TimedReach extends Reach {
  /** The latest of its records; -1 when none has a time. */
  readonly maxTimestampMs: number;
  /** The latest of its first batch; `null` when there is none, -1 when it has no time. May have to be read. */
  readonly firstTimestampMs: number | null;
}

export interface CompactionFacts<Segment extends TimedReach> {
  /** Oldest first. */
  readonly sealed: readonly Segment[];
  /** Kafka: the cleaner's checkpoint. Below it every key is there once. */
  readonly firstDirtyOffset: number;
  /** Nothing at or behind it is compacted: min(last stable offset, high watermark, base of the active segment). */
  readonly cleanEnd: number;
  /** Kafka: min.cleanable.dirty.ratio. */
  readonly minCleanableDirtyRatio: number;
  /** Kafka: min.compaction.lag.ms. */
  readonly minCompactionLagMs: number;
  /** Kafka: max.compaction.lag.ms. Number.MAX_SAFE_INTEGER is for ever: then no first batch is asked for. */
  readonly maxCompactionLagMs: number;
  /** When the next tombstone or marker may go; `null` when none waits. */
  readonly nextHorizonMs: number | null;
  /** Nothing that waits goes at or behind it, see CompactionRequest. */
  readonly copiedEnd: number;
  readonly nowMs: number;
}

export interface CompactionPlan<Segment extends Reach> {
  /** Below the first dirty offset altogether. */
  readonly clean: readonly Segment[];
  /** The others, of which the first may be clean in part. */
  readonly dirty: readonly Segment[];
  /** Kafka: the cleanable ratio, dirty bytes / (clean + dirty bytes). */
  readonly dirtyRatio: number;
}

/** `null` when there is too little to do: no pass is due by its dirty bytes, nor by the time of a record or a tombstone. */
export function planCompaction<Segment extends TimedReach>(
  facts: CompactionFacts<Segment>,
): CompactionPlan<Segment> | null {
  // What an earlier pass has been over is decided, even if a leader's marks have moved back since. It has to be gone over
  // each time, or the horizons of its tombstones would be forgotten.
  const lagEnd = endByLag(facts);
  const isCleanable = ({ baseOffset, nextOffset }: Segment) =>
    nextOffset <= Math.min(facts.cleanEnd, lagEnd) || baseOffset < facts.firstDirtyOffset;
  const cleanable = facts.sealed.filter(isCleanable);
  const clean = cleanable.filter(({ nextOffset }) => nextOffset <= facts.firstDirtyOffset);
  const dirty = cleanable.slice(clean.length);
  const dirtyBytes = bytesOf(dirty);
  const bytes = dirtyBytes + bytesOf(clean);
  if (bytes === 0) return null;
  const dirtyRatio = dirtyBytes / bytes;
  const isDirty = dirtyBytes > 0 && (dirtyRatio >= facts.minCleanableDirtyRatio || isOverdue(dirty, facts));
  const isTime = isHorizonOver(facts) && isCopied(facts);
  return isDirty || isTime ? { clean, dirty, dirtyRatio } : null;
}

/** Whether tombstones or markers of the clean part stay, though their time is over, since a replica may lack them. */
export function isHeld<Segment extends TimedReach>(facts: CompactionFacts<Segment>): boolean {
  const isThere = facts.sealed.some(({ baseOffset }) => baseOffset < facts.firstDirtyOffset);
  return isThere && isHorizonOver(facts) && !isCopied(facts);
}

type Horizon = Pick<
  CompactionFacts<TimedReach>,
  "nextHorizonMs" | "nowMs" | "copiedEnd" | "firstDirtyOffset"
>;

function isHorizonOver({ nextHorizonMs, nowMs }: Horizon): boolean {
  return nextHorizonMs !== null && nowMs >= nextHorizonMs;
}

/**
 * Nobody knows where in the clean part that lies whose time is over. A pass is due for its sake once all of the clean part may lose it:
 * then nothing is left there for which the next pass would be due at once.
 */
function isCopied({ copiedEnd, firstDirtyOffset }: Horizon): boolean {
  return copiedEnd >= firstDirtyOffset;
}

/** The base of the first segment that holds a record too young to be compacted: nothing from there on is (KIP-58). */
function endByLag<Segment extends TimedReach>(facts: CompactionFacts<Segment>): number {
  const { sealed, firstDirtyOffset, minCompactionLagMs, nowMs } = facts;
  if (minCompactionLagMs === 0) return Number.POSITIVE_INFINITY;
  const young = sealed.find(
    ({ nextOffset, maxTimestampMs }) =>
      nextOffset > firstDirtyOffset && maxTimestampMs > nowMs - minCompactionLagMs,
  );
  return young?.baseOffset ?? Number.POSITIVE_INFINITY;
}

/** Whether one of them began so long ago that it must not wait for others (KIP-354). */
function isOverdue(
  dirty: readonly TimedReach[],
  { maxCompactionLagMs, nowMs }: { readonly maxCompactionLagMs: number; readonly nowMs: number },
): boolean {
  if (maxCompactionLagMs === Number.MAX_SAFE_INTEGER) return false;
  return dirty.some(
    ({ firstTimestampMs: first }) => (first ?? -1) > 0 && (first ?? -1) < nowMs - maxCompactionLagMs,
  );
}

/**
 * Neighbours go into one segment as long as it cannot become larger than `segmentBytes`, judged by what they are before;
 * and as long as its offsets can be told from its base by a u32, as indexes do. Kafka: the same.
 */
export function groupForMerging<Segment extends Reach>(
  segments: readonly Segment[],
  { segmentBytes, offsetsMax }: { readonly segmentBytes: number; readonly offsetsMax: number },
): readonly (readonly Segment[])[] {
  const groups: Segment[][] = [];
  let [sizeBytes, baseOffset] = [0, 0];
  for (const segment of segments) {
    const group = groups.at(-1);
    const fits =
      sizeBytes + segment.sizeBytes <= segmentBytes && segment.nextOffset - baseOffset <= offsetsMax;
    if (group !== undefined && fits) {
      group.push(segment);
      sizeBytes += segment.sizeBytes;
    } else {
      groups.push([segment]);
      ({ sizeBytes, baseOffset } = segment);
    }
  }
  return groups;
}

export function bytesOf(segments: readonly Reach[]): number {
  return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
