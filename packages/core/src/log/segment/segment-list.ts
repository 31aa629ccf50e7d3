/**
 * The segments of one log, oldest first.
 *
 * Invariants: they join without a gap; the sealed ones come first; the last, which is never sealed, is the active one, the
 * only one that is written.
 */
import { assert } from "../../assert.ts";
import { segmentHolding } from "./lookup.ts";
import type { Segment } from "./segment.ts";

export interface SegmentSummary {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** The latest record time in it, which retention goes by; `null` when it holds none. */
  readonly latestTimeMs: number | null;
  /** The one that is written. */
  readonly active: boolean;
}

export class SegmentList {
  readonly #segments: Segment[];
  #sealedCount: number;
  #unsealings = 0;
  /** Of the sealed ones those with an abort marker, once somebody has asked; `null` after any change of which are sealed. */
  #sealedWithAborts: readonly Segment[] | null = null;

  constructor(sealed: readonly Segment[], unsealed: readonly Segment[]) {
    assert(unsealed.length > 0, "a log needs an active segment");
    this.#segments = [...sealed, ...unsealed];
    this.#sealedCount = sealed.length;
  }

  get active(): Segment {
    const segment = this.#segments.at(-1);
    assert(segment !== undefined, "a log lost its active segment");
    return segment;
  }

  all(): readonly Segment[] {
    return this.#segments;
  }

  sealed(): readonly Segment[] {
    return this.#segments.slice(0, this.#sealedCount);
  }

  /** Rolled ones that a flush has still to seal, and the active one. */
  unsealed(): readonly Segment[] {
    return this.#segments.slice(this.#sealedCount);
  }

  /** Those with an abort marker, in order: as many are gone over as have one, and those that are not sealed. */
  withAborts(): readonly Segment[] {
    this.#sealedWithAborts ??= this.sealed().filter(hasAborts);
    return [...this.#sealedWithAborts, ...this.unsealed().filter(hasAborts)];
  }

  summaries(): SegmentSummary[] {
    return this.#segments.map((segment) => ({
      baseOffset: segment.baseOffset,
      nextOffset: segment.nextOffset,
      sizeBytes: segment.sizeBytes,
      latestTimeMs: segment.maxTimestampMs < 0 ? null : segment.maxTimestampMs,
      active: segment === this.active,
    }));
  }

  /** The one that holds `offset`, or the active one when `offset` is its end. */
  holding(offset: number): Segment {
    return segmentHolding(this.#segments, offset);
  }

  /** `segment` becomes the active one. */
  push(segment: Segment): void {
    const { nextOffset } = this.active;
    assert(
      segment.baseOffset === nextOffset,
      `segment ${segment.baseOffset} cannot follow offset ${nextOffset}`,
    );
    this.#segments.push(segment);
  }

  /** The first `count` unsealed ones are sealed from now on. */
  seal(count: number): void {
    assert(this.#sealedCount + count < this.#segments.length, "the active segment cannot be sealed");
    const sealed = this.unsealed().slice(0, count);
    this.#sealedCount += count;
    this.#sealedWithAborts = null;
    for (const segment of sealed) segment.release();
  }

  /** How often sealed segments were opened again, to be cut: what was read of them before may not be there any more. */
  get unsealings(): number {
    return this.#unsealings;
  }

  /** Whether these are still sealed segments of the log. */
  areSealed(segments: readonly Segment[]): boolean {
    const sealed = new Set(this.sealed());
    return segments.every((segment) => sealed.has(segment));
  }

  /** `merged` takes the place of `segments`, which are sealed, follow each other, and are closed. */
  replace(segments: readonly Segment[], merged: Segment): void {
    const [first] = segments;
    const at = first === undefined ? -1 : this.#segments.indexOf(first);
    const isThere = at >= 0 && segments.every((segment, index) => this.#segments[at + index] === segment);
    assert(isThere && at + segments.length <= this.#sealedCount, "only sealed neighbours can be replaced");
    this.#segments.splice(at, segments.length, merged);
    this.#sealedCount += 1 - segments.length;
    this.#sealedWithAborts = null;
    for (const segment of segments) segment.release();
  }

  /** The oldest `count`, all of them sealed, are not in the log any more. */
  dropFirst(count: number): void {
    assert(count <= this.#sealedCount, `${count} segments cannot go, only ${this.#sealedCount} are sealed`);
    for (const segment of this.#segments.splice(0, count)) segment.release();
    this.#sealedCount -= count;
    this.#sealedWithAborts = null;
  }

  /** `segment` and those behind it are not sealed any more. */
  unsealFrom(segment: Segment): void {
    const place = this.#segments.indexOf(segment);
    assert(place !== -1, `segment ${segment.baseOffset} is not in the log`);
    if (place < this.#sealedCount) this.#unsealings++;
    this.#sealedCount = Math.min(this.#sealedCount, place);
    this.#sealedWithAborts = null;
  }

  /** The active segment is gone; the one before it, which is not sealed, becomes the active one. */
  dropLast(): void {
    assert(this.#sealedCount < this.#segments.length - 1, "a sealed segment cannot become the active one");
    this.#segments.pop()?.close();
  }

  /** `segment`, which is empty, is all there is. */
  restart(segment: Segment): void {
    for (const gone of this.#segments) if (gone !== segment) gone.close();
    this.#segments.splice(0, this.#segments.length, segment);
    this.#sealedCount = 0;
    this.#sealedWithAborts = null;
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}

function hasAborts({ aborted }: Segment): boolean {
  return aborted !== null;
}
