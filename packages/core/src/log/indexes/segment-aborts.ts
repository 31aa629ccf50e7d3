/**
 * The aborted transactions of one segment, as the segment uses them. Made for a segment with an abort marker, of which there
 * are few.
 *
 * Owns: the `.txnindex` file, and the entries in memory.
 * Invariants: `extent` speaks for every abort marker of the segment; the entries in memory are the last of them, or all. What is
 * missing is loaded when somebody asks, or made anew from the segment.
 * Never: fewer transactions told than there are markers, since their records would be shown: where damage hides a marker, who
 * asks is refused; a file that is synced, since it can always be made anew.
 */
import { type BatchHeader, frameProblem } from "@minikafka/record";
import { DiskError } from "../../env/disk.ts";
import { BrokerError, storageError } from "../../errors.ts";
import type { IdleIndex } from "../context/index-memory.ts";
import type { LogContext } from "../context/log-context.ts";
import { abortedIndexPath } from "../files/file-names.ts";
import {
  type AbortedCoverage,
  type AbortedEntry,
  type AbortedExtent,
  AbortedIndex,
  abortedBy,
  extended,
  extentOf,
} from "./aborted-index.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import type { IndexedSegment } from "./index-walk.ts";

/** What an index of aborted transactions needs of its segment. */
export interface SegmentWithMarkers extends IndexedSegment {
  readonly path: string;
  /** The bytes of a frame, as they lie there. Throws DiskError. */
  bytesOf(frame: { readonly position: number; readonly header: BatchHeader }): Buffer;
}

export class SegmentAborts implements IdleIndex {
  readonly path: string;
  readonly #context: LogContext;
  readonly #segment: SegmentWithMarkers;
  #extent: AbortedExtent | null;
  /** The last of them, or all. */
  #entries = new AbortedIndex();
  /** Whether the file lacks something that is in memory. */
  #isAhead = false;

  /** `extent` is what is known of the segment as it is before note() tells of more. */
  constructor(context: LogContext, segment: SegmentWithMarkers, extent: AbortedExtent | null) {
    this.path = abortedIndexPath(context.folder, segment);
    this.#context = context;
    this.#segment = segment;
    this.#extent = extent;
  }

  /** `null` while the segment has no abort marker. */
  get extent(): AbortedExtent | null {
    return this.#extent;
  }

  get bytes(): number {
    return this.#entries.bytes;
  }

  /** Tells of an abort marker that follows everything so far. */
  note(entry: AbortedEntry): void {
    this.#entries.add(entry);
    this.#extent = extended(this.#extent, entry);
    this.#isAhead = true;
    this.#context.indexMemory.noteUse(this);
  }

  /** Those with an offset from `fromOffset` up to `endOffset`. May read the disk; throws STORAGE_ERROR, DiskError. */
  overlapping(fromOffset: number, endOffset: number): Iterable<AbortedEntry> {
    if (this.#load() === "rebuilt") this.write();
    this.#context.indexMemory.noteUse(this);
    return this.#entries.overlapping(fromOffset, endOffset);
  }

  /** The same for who only looks: nothing is kept, written or told. */
  peek(fromOffset: number, endOffset: number): Iterable<AbortedEntry> {
    if (this.#missing === 0) return this.#entries.overlapping(fromOffset, endOffset);
    const read = this.#read(this.#missing);
    const all = typeof read === "string" ? this.#walk(this.#missing) : read;
    all.append(this.#entries);
    return all.overlapping(fromOffset, endOffset);
  }

  /** All, or none where damage hides a marker: for who looks closer. May read the disk; throws DiskError. */
  list(): readonly AbortedEntry[] {
    try {
      return [...this.overlapping(0, Number.POSITIVE_INFINITY)];
    } catch (problem) {
      if (problem instanceof BrokerError) return [];
      throw problem;
    }
  }

  /** What `extent` would be if the segment ended at `endOffset`. May read the disk; throws STORAGE_ERROR, DiskError. */
  extentBelow(endOffset: number): AbortedExtent | null {
    this.#load();
    return extentOf(this.#entries.below(endOffset).from(0));
  }

  /** The segment was cut, and says so already; `extent` is what extentBelow() said of the rest. The file is made anew. */
  cut(extent: AbortedExtent | null): void {
    this.#entries = this.#entries.below(this.#segment.nextOffset);
    this.#extent = extent;
    this.#isAhead = extent !== null;
    this.#context.indexMemory.noteUse(this);
    const { disk } = this.#context.env;
    this.#changeFile(() => {
      if (disk.stat(this.path) !== null) disk.remove(this.path);
    });
  }

  /** Writes the file if it lacks something. What refuses that is traced and costs a rebuilding later, nothing else. */
  write(): void {
    if (!this.#isAhead) return;
    this.#changeFile(() => {
      this.#load();
      const { env, place } = this.#context;
      const { baseOffset, sizeBytes: indexedBytes } = this.#segment;
      const last = this.#segment.headerAt(this.#entries.last?.position ?? 0);
      if (last === null) throw storageError("its last abort marker is damaged", { file: this.#segment.path });
      env.faults.hit("log.txn_index.before_write", place);
      writeIndexFile(
        env.disk,
        this.path,
        this.#entries.encode(baseOffset, { indexedBytes, lastCrc: last.crc }),
      );
      env.faults.hit("log.txn_index.after_write", place);
      this.#isAhead = false;
    });
  }

  giveWay(): void {
    this.write();
    // What the disk did not take is nowhere else.
    if (!this.#isAhead) this.release();
  }

  /** Forgets the entries; the file, or the segment, tells them again. */
  release(): void {
    this.close();
    this.#entries = new AbortedIndex();
    this.#isAhead = false;
  }

  /** Nobody will ask it, or only after it was noted anew: its memory is not ours to count any more. */
  close(): void {
    this.#context.indexMemory.forget(this);
  }

  /** Completes the entries in memory with those below. */
  #load(): "loaded" | "rebuilt" {
    const missing = this.#missing;
    if (missing === 0) return "loaded";
    const read = this.#read(missing);
    const below = typeof read === "string" ? this.#walk(missing) : read;
    if (typeof read === "string") this.#traceRebuilt(below.entries, read);
    below.append(this.#entries);
    this.#entries = below;
    this.#isAhead ||= typeof read === "string";
    return typeof read === "string" ? "rebuilt" : "loaded";
  }

  /** How many entries below those in memory there are. */
  get #missing(): number {
    return (this.#extent?.count ?? 0) - this.#entries.entries;
  }

  /** Where the entries in memory begin. */
  get #endOfMissing(): number {
    return this.#entries.first?.lastOffset ?? Number.POSITIVE_INFINITY;
  }

  /** The file's entries of what is missing in memory, or why they cannot be used. */
  #read(missing: number): AbortedIndex | string {
    const bytes = readIndexFile(this.#context.env.disk, this.path);
    if (typeof bytes === "string") return bytes;
    const decoded = AbortedIndex.decode(bytes, this.#segment.baseOffset);
    if ("problem" in decoded) return decoded.problem;
    const { index, coverage } = decoded;
    const problem = abortedProblem(this.#segment, index, coverage);
    if (problem !== null) return problem;
    const below = index.below(this.#endOfMissing);
    if (below.entries === missing) return below;
    return `it knows ${below.entries} of the abort markers, expected ${missing}`;
  }

  /** The same, made anew. */
  #walk(missing: number): AbortedIndex {
    const { frameBytesMax } = this.#context;
    const segment = this.#segment;
    const index = new AbortedIndex();
    const end = this.#endOfMissing;
    const { position: walkedTo } = segment.walk(segment.sizeBytes, (header, position) => {
      if (header.control !== "abort" || header.baseOffset >= end) return;
      const frame = segment.bytesOf({ position, header });
      const isWhole = frameProblem(frame, 0, frameBytesMax) === null;
      const aborted = isWhole ? abortedBy(frame, header) : null;
      if (aborted !== null) index.add({ ...aborted, position });
    });
    const { entries } = index;
    if (entries !== missing) {
      const expected = `${missing}, or nobody knows which records were aborted`;
      const seen = `${entries} of its abort markers can be read`;
      throw storageError(seen, { file: segment.path, position: walkedTo, expected });
    }
    return index;
  }

  #traceRebuilt(entries: number, problem: string): void {
    const { env, place } = this.#context;
    const { baseOffset: segmentBaseOffset } = this.#segment;
    const facts = { segmentBaseOffset, path: this.path, entries, timeEntries: 0, problem };
    env.trace({ kind: "index_rebuilt", ...place, ...facts });
  }

  #changeFile(change: () => void): void {
    try {
      change();
    } catch (problem) {
      if (!(problem instanceof DiskError) && !(problem instanceof BrokerError)) throw problem;
      const { env, place } = this.#context;
      const { baseOffset: segmentBaseOffset } = this.#segment;
      env.trace({ kind: "index_unwritten", ...place, segmentBaseOffset, problem: problem.message });
    }
  }
}

/** Why a file of these entries is not for this segment; `null` when it is. Throws DiskError. */
export function abortedProblem(
  segment: Pick<SegmentWithMarkers, "sizeBytes" | "headerAt">,
  { last }: AbortedIndex,
  { indexedBytes, lastCrc }: AbortedCoverage,
): string | null {
  if (last === null) return "it has no entry";
  const { sizeBytes } = segment;
  if (indexedBytes > sizeBytes) return `it speaks for ${indexedBytes} bytes, expected ${sizeBytes} at most`;
  // A batch says its offset and its leader's epoch; where this one is the same, all before it is the same too.
  if (segment.headerAt(last.position)?.crc === lastCrc) return null;
  return `the batch at ${last.position} is not the one that it ends with`;
}
