/**
 * A segment's abort markers, compared with its index of them and with what the manifest says.
 *
 * A file that does not agree is no damage, as with the other indexes. A manifest that does not is: by it the broker knows that
 * no marker is hidden.
 */
import type { DiskFile } from "../../env/disk.ts";
import { abortedIndexPath } from "../files/file-names.ts";
import type { WalkedFrame } from "../frames/frame-walk.ts";
import {
  type AbortedCoverage,
  type AbortedEntry,
  type AbortedExtent,
  AbortedIndex,
  abortedBy,
  extentOf,
} from "../indexes/aborted-index.ts";
import { NO_FILE } from "../indexes/index-file.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { Finding } from "./finding.ts";
import { contentsOf, type SegmentToCheck } from "./index-check.ts";

export interface SegmentWithManifest extends SegmentToCheck {
  /** `null` when it cannot be read. */
  readonly manifest: Manifest | null;
}

export class AbortedIndexCheck {
  readonly #segment: SegmentWithManifest;
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #entries: readonly AbortedEntry[];
  readonly #coverage: AbortedCoverage | null;
  /** Why the file cannot be read; `null` also when there is none. */
  readonly #unreadable: string | null;
  /** As the frames tell it. */
  readonly #markers: AbortedEntry[] = [];
  #lastCrc: number | null = null;
  /** Behind a damaged frame nobody can say which markers there are. */
  #isSound = true;

  constructor(segment: SegmentWithManifest, file: DiskFile) {
    this.#segment = segment;
    this.#file = file;
    this.#path = abortedIndexPath(segment.folder, segment);
    let coverage: AbortedCoverage | null = null;
    const { entries, problem } = contentsOf(segment.disk, this.#path, (bytes) => {
      const decoded = AbortedIndex.decode(bytes, segment.baseOffset);
      if ("problem" in decoded) return decoded.problem;
      coverage = decoded.coverage;
      return [...decoded.index.from(0)];
    });
    this.#entries = entries;
    this.#coverage = coverage;
    this.#unreadable = problem;
  }

  meet({ header, position, problem }: WalkedFrame): void {
    if (header === null || problem !== null) this.#isSound = false;
    if (header === null || problem !== null || header.control !== "abort") return;
    const aborted = abortedBy(this.#file.readAt(position, header.frameBytes), header);
    if (aborted === null) return;
    this.#markers.push({ ...aborted, position });
    this.#lastCrc = header.crc;
  }

  *finding(): Generator<Finding> {
    const problem = this.#problem();
    const { baseOffset: segmentBaseOffset } = this.#segment;
    if (this.#coverage !== null || problem !== null)
      yield { kind: "aborted_index", file: this.#path, segmentBaseOffset, entries: this.#entries, problem };
    if (this.#isSound) yield* this.#extentProblem();
  }

  /** Why the file is of no use, or `null`. It may lack what a log that is open has in memory. */
  #problem(): string | null {
    const entries = this.#entries;
    const coverage = this.#coverage;
    if (this.#unreadable !== null) return this.#unreadable;
    if (coverage === null) return (this.#sealed()?.aborted ?? null) === null ? null : NO_FILE;
    if (!this.#isSound) return null;
    if (this.#markers.length === 0) return "no transaction is aborted in its segment";
    const wrong = entries.find((entry, place) => !isSame(entry, this.#markers[place]));
    if (wrong !== undefined)
      return `its entry ${wrong.lastOffset} at ${wrong.position} leads to no marker of that transaction`;
    const isLast = entries.length === this.#markers.length;
    if (isLast && coverage.lastCrc !== this.#lastCrc) return "the batch of its last entry is another one";
    if (!isLast && this.#isSealed())
      return `it has ${entries.length} of ${this.#markers.length} abort markers`;
    return null;
  }

  /** What the manifest says of the markers, and they don't keep. */
  *#extentProblem(): Generator<Finding> {
    const told = this.#told();
    if (told === null) return;
    const { aborted: known, end } = told;
    const seen = extentOf(this.#markers.filter(({ position }) => position < end));
    if (seen?.count === known?.count && seen?.firstOffset === known?.firstOffset) return;
    const problem = `it has ${extentText(seen)}; expected ${extentText(known)}`;
    yield { kind: "damage", file: this.#file.path, position: null, problem };
  }

  #isSealed(): boolean {
    return this.#sealed() !== undefined;
  }

  #sealed() {
    const { manifest, baseOffset } = this.#segment;
    return manifest?.sealed.find((known) => known.baseOffset === baseOffset);
  }

  /** What the manifest says of the segment, below `end`; `null` when it says nothing. */
  #told(): { readonly aborted: AbortedExtent | null; readonly end: number } | null {
    const { manifest, baseOffset } = this.#segment;
    const sealed = this.#sealed();
    if (sealed !== undefined) return { aborted: sealed.aborted, end: Number.POSITIVE_INFINITY };
    const point = manifest?.recoveryPoint;
    return point?.segmentBaseOffset === baseOffset ? { aborted: point.aborted, end: point.position } : null;
  }
}

function isSame(entry: AbortedEntry, marker: AbortedEntry | undefined): boolean {
  return (
    marker !== undefined &&
    entry.producerId === marker.producerId &&
    entry.firstOffset === marker.firstOffset &&
    entry.lastOffset === marker.lastOffset &&
    entry.position === marker.position
  );
}

function extentText(extent: AbortedExtent | null): string {
  return extent === null
    ? "no abort marker"
    : `${extent.count} abort markers, of transactions from ${extent.firstOffset} on`;
}
