/**
 * Which offsets of a source became which offsets of its copy.
 *
 * A span is one or more batches that were written one after the other. The copy has no gaps, since it is written without transactions: its
 * offsets count the records. The source may have some: what compaction took away, markers of transactions and what they aborted.
 * Kafka's MirrorMaker 2 keeps the same kind of list, of single points, in a topic (KIP-382, offset syncs).
 */

export interface Span {
  /** The offset of the first record. */
  readonly source: number;
  /** Past the last record. */
  readonly sourceEnd: number;
  /** The offset that the first record got. */
  readonly target: number;
  /** At most `sourceEnd - source`, which are the offsets; these are the records. */
  readonly count: number;
}

/** Whether each offset of the source has its record. */
export function isWhole({ source, sourceEnd, count }: Span): boolean {
  return sourceEnd - source === count;
}

export function targetEnd({ target, count }: Span): number {
  return target + count;
}

/** Both as one, where nothing is lost by that; otherwise `null`. */
export function joined(one: Span, next: Span): Span | null {
  const follows = one.sourceEnd === next.source && targetEnd(one) === next.target;
  if (!follows || !isWhole(one) || !isWhole(next)) return null;
  return { ...one, sourceEnd: next.sourceEnd, count: one.count + next.count };
}

/** Adds a span to those before it, in place. */
export function addSpan(spans: Span[], next: Span): void {
  const last = spans.at(-1);
  const both = last === undefined ? null : joined(last, next);
  if (both === null) spans.push(next);
  else spans[spans.length - 1] = both;
}

/** What becomes of a committed offset. */
export type Translation =
  | { readonly kind: "exact"; readonly target: number }
  /** It lies within a span with gaps: how many of its records lie before it has to be counted in the source. */
  | { readonly kind: "within"; readonly span: Span }
  /** It lies past what was copied. */
  | { readonly kind: "ahead"; readonly copiedTo: number };

/** The copy of one partition, for offsets to be looked up. */
export interface CopiedPartition {
  readonly spans: readonly Span[];
  /** Where copying began in the copy: what lay before the first record is there. */
  readonly targetStart: number;
  /** Up to where the source was read: at least the end of the last span. */
  readonly sourceNext: number;
}

/** A committed offset is that of the next record to be read; one whose record is gone goes to the next one that is there. */
export function translated({ spans, targetStart, sourceNext }: CopiedPartition, offset: number): Translation {
  if (offset > sourceNext) return { kind: "ahead", copiedTo: sourceNext };
  const index = firstEndingPast(spans, offset);
  const span = spans[index];
  if (span === undefined) {
    const last = spans.at(-1);
    return { kind: "exact", target: last === undefined ? targetStart : targetEnd(last) };
  }
  if (offset <= span.source) return { kind: "exact", target: span.target };
  if (isWhole(span)) return { kind: "exact", target: span.target + (offset - span.source) };
  return { kind: "within", span };
}

/** By halving: there may be many spans. */
function firstEndingPast(spans: readonly Span[], offset: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((spans[middle]?.sourceEnd ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
