/**
 * Numbers and the names of files in a partition's folder: the only place that knows how one becomes the other.
 *
 *   <base offset, 20 digits>.log     a segment as it was appended; .index, .timeindex, .txnindex: its indexes
 *   <base offset, 20 digits>-<generation>.log, .index, …   the same after so many compactions
 *   <segment>.log.tmp                one that is being written anew (sync-doubt.ts)
 *   <offset, 20 digits>.snapshot     what was known of producers there (producer-snapshot.ts); also .snapshot.tmp and
 *                                    .snapshot.tmp-later
 *   manifest.json                    which segments count; also manifest.json.tmp and manifest.json.tmp-later
 *   sync-failed                      the mark that a sync failed (sync-doubt.ts)
 *   cut-begun                        the mark that the end is being cut off (cut-mark.ts)
 */
import { assert } from "../../assert.ts";

export const MANIFEST_FILE_NAME = "manifest.json";
export const MANIFEST_TEMPORARY_NAMES: readonly string[] = [
  `${MANIFEST_FILE_NAME}.tmp`,
  `${MANIFEST_FILE_NAME}.tmp-later`,
];

export const DOUBT_FILE_NAME = "sync-failed";
export const CUT_FILE_NAME = "cut-begun";

/** Enough for any i64, so that names sort as their numbers do (Kafka: the same). */
const OFFSET_DIGITS = 20;
const NAME = /^(\d{20})(?:-([1-9]\d{0,14}))?\.(log|index|timeindex|txnindex|log\.tmp)$/;
const SNAPSHOT_NAME = /^(\d{20})\.snapshot(\.tmp(?:-later)?)?$/;

/** What tells a segment from every other of its log. */
export interface SegmentName {
  readonly baseOffset: number;
  /** 0 for a segment that was appended; a compaction writes the next one. */
  readonly generation: number;
}

export interface NumberedFile extends SegmentName {
  readonly kind: "segment" | "index" | "time_index" | "aborted_index" | "temporary";
}

const KINDS: Readonly<Record<string, NumberedFile["kind"]>> = {
  log: "segment",
  index: "index",
  timeindex: "time_index",
  txnindex: "aborted_index",
  "log.tmp": "temporary",
};

export function segmentFileName(name: SegmentName): string {
  return `${stemOf(name)}.log`;
}

export function segmentPath(folder: string, name: SegmentName): string {
  return inFolder(folder, segmentFileName(name));
}

export function temporaryPath(folder: string, name: SegmentName): string {
  return `${segmentPath(folder, name)}.tmp`;
}

export function indexPath(folder: string, name: SegmentName): string {
  return inFolder(folder, `${stemOf(name)}.index`);
}

export function timeIndexPath(folder: string, name: SegmentName): string {
  return inFolder(folder, `${stemOf(name)}.timeindex`);
}

export function abortedIndexPath(folder: string, name: SegmentName): string {
  return inFolder(folder, `${stemOf(name)}.txnindex`);
}

/** All that may be there beside a segment. */
export function indexPaths(folder: string, name: SegmentName): readonly string[] {
  return [indexPath(folder, name), timeIndexPath(folder, name), abortedIndexPath(folder, name)];
}

/** `offset` is where what is in the snapshot ends. */
export function snapshotPath(folder: string, offset: number): string {
  return inFolder(folder, `${digitsOf(offset)}.snapshot`);
}

/** The offset of the snapshot in a file of this name, and whether it was still being written; `null` for another file. */
export function parseSnapshotName(name: string): { offset: number; isTemporary: boolean } | null {
  const [, digits, temporary] = SNAPSHOT_NAME.exec(name) ?? [];
  const offset = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(offset)) return null;
  return { offset, isTemporary: temporary !== undefined };
}

/** What a file of this name holds, or `null` when it is not numbered as ours are. */
export function parseFileName(name: string): NumberedFile | null {
  const [, offset, generationText = "0", extension = ""] = NAME.exec(name) ?? [];
  const kind = KINDS[extension];
  const baseOffset = Number(offset);
  if (kind === undefined || !Number.isSafeInteger(baseOffset)) return null;
  return { kind, baseOffset, generation: Number(generationText) };
}

export function isSegmentFileName(name: string): boolean {
  return parseFileName(name)?.kind === "segment";
}

/** True for every name that a log gives to a file of its folder. */
export function isLogFileName(name: string): boolean {
  const fixed = [MANIFEST_FILE_NAME, ...MANIFEST_TEMPORARY_NAMES, DOUBT_FILE_NAME, CUT_FILE_NAME];
  return fixed.includes(name) || parseFileName(name) !== null || parseSnapshotName(name) !== null;
}

/** A folder's path is normal already, so that nothing has to be looked for in it: this is asked for each file of a log. */
function inFolder(folder: string, fileName: string): string {
  return `${folder}/${fileName}`;
}

function stemOf({ baseOffset, generation }: SegmentName): string {
  assert(Number.isSafeInteger(generation) && generation >= 0, `a generation is not ${generation}`);
  return generation === 0 ? digitsOf(baseOffset) : `${digitsOf(baseOffset)}-${generation}`;
}

function digitsOf(offset: number): string {
  assert(Number.isSafeInteger(offset) && offset >= 0, `an offset in a file's name is not ${offset}`);
  return String(offset).padStart(OFFSET_DIGITS, "0");
}
