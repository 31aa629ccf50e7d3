/**
 * A segment's abort markers, compared with its index of them and with what the manifest says.
 *
 * A file that does not agree is no damage, as with the other indexes. A manifest that does not is: by it the broker knows that
 * no marker is hidden.
 */
import { DiskError, type DiskFile, readSmallFile } from "../../env/disk.ts";
import { LIMITS } from "../../limits.ts";
import { abortedIndexPath } from "../files/file-names.ts";
import type { WalkedFrame } from "../frames/frame-walk.ts";
import {
  type AbortedEntry,
  type AbortedExtent,
  AbortedIndex,
  abortedBy,
  extentOf,
} from "../indexes/aborted-index.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { Finding } from "./finding.ts";
import type { SegmentToCheck } from "./index-check.ts";

export interface SegmentWithManifest extends SegmentToCheck {
  /** `null` when it cannot be read. */
  readonly manifest: Manifest | null;
}

type Contents = { readonly entries: readonly AbortedEntry[]; readonly lastCrc: number } | { problem: string };

export class AbortedIndexCheck {
  readonly #segment: SegmentWithManifest;
  readonly #file: DiskFile;
  readonly #path: string;
  readonly #contents: Contents | null;
  /** As the frames tell it. */
  readonly #markers: AbortedEntry[] = [];
  #lastCrc: number | null = null;
  /** Behind a damaged frame nobody can say which markers there are. */
  #isSound = true;

  constructor(segment: SegmentWithManifest, file: DiskFile) {
    this.#segment = segment;
    this.#file = file;
    this.#path = abortedIndexPath(segment.folder, segment);
    this.#contents = this.#read();
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
    const contents = this.#contents;
    if (contents !== null || problem !== null) {
      const entries = contents !== null && "entries" in contents ? contents.entries : [];
      yield { kind: "aborted_index", file: this.#path, segmentBaseOffset, entries, problem };
    }
    if (this.#isSound) yield* this.#extentProblem();
  }

  /** Why the file is of no use, or `null`. It may lack what a log that is open has in memory. */
  #problem(): string | null {
    const contents = this.#contents;
    if (contents === null) return this.#known() !== null && this.#isSealed() ? "it is missing" : null;
    if ("problem" in contents) return contents.problem;
    const { entries, lastCrc } = contents;
    if (!this.#isSound) return null;
    if (this.#markers.length === 0) return "no transaction is aborted in its segment";
    const wrong = entries.find((entry, place) => !isSame(entry, this.#markers[place]));
    if (wrong !== undefined)
      return `its entry ${wrong.lastOffset} at ${wrong.position} leads to no marker of that transaction`;
    const isLast = entries.length === this.#markers.length;
    if (isLast && lastCrc !== this.#lastCrc) return "the batch of its last entry is another one";
    if (!isLast && this.#isSealed())
      return `it has ${entries.length} of ${this.#markers.length} abort markers`;
    return null;
  }

  /** What the manifest says of the markers below the place up to which it speaks, and they don't keep. */
  *#extentProblem(): Generator<Finding> {
    const { manifest, baseOffset } = this.#segment;
    if (manifest === null) return;
    const { segmentBaseOffset, position } = manifest.recoveryPoint;
    if (!this.#isSealed() && baseOffset !== segmentBaseOffset) return;
    const end = this.#isSealed() ? Number.POSITIVE_INFINITY : position;
    const seen = extentOf(this.#markers.filter((marker) => marker.position < end));
    const known = this.#known();
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

  #known(): AbortedExtent | null {
    const { manifest, baseOffset } = this.#segment;
    const sealed = this.#sealed();
    if (sealed !== undefined) return sealed.aborted;
    const point = manifest?.recoveryPoint;
    return point?.segmentBaseOffset === baseOffset ? point.aborted : null;
  }

  /** `null` when there is no file. */
  #read(): Contents | null {
    try {
      const bytes = readSmallFile(this.#segment.disk, this.#path, LIMITS.indexFileBytesMax);
      if (bytes === null) return null;
      const decoded = AbortedIndex.decode(bytes, this.#segment.baseOffset);
      if ("problem" in decoded) return decoded;
      return { entries: [...decoded.index.from(0)], lastCrc: decoded.coverage.lastCrc };
    } catch (problem) {
      if (problem instanceof DiskError) return { problem: problem.message };
      throw problem;
    }
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
