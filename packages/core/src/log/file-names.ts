/**
 * Numbers and the names of files in a partition's folder: the only place that knows how one becomes the other.
 *
 *   <base offset, 20 digits>.log     a segment
 *   <base offset, 20 digits>.index   its offset index
 *   <base offset, 20 digits>.log.tmp a segment that is being written anew (sync-doubt.ts)
 *   manifest.json                    which segments count; also manifest.json.tmp and manifest.json.tmp-later
 *   sync-failed                      the mark that a sync failed (sync-doubt.ts)
 */
import { posix } from "node:path";
import { assert } from "../assert.ts";

export const MANIFEST_FILE_NAME = "manifest.json";
export const MANIFEST_TEMPORARY_NAMES: readonly string[] = [
  `${MANIFEST_FILE_NAME}.tmp`,
  `${MANIFEST_FILE_NAME}.tmp-later`,
];

export const DOUBT_FILE_NAME = "sync-failed";

/** Enough for any i64, so that names sort as their numbers do (Kafka: the same). */
const OFFSET_DIGITS = 20;
const NAME = /^(\d{20})\.(log|index|log\.tmp)$/;

export interface NumberedFile {
  readonly kind: "segment" | "index" | "temporary";
  readonly baseOffset: number;
}

export function segmentPath(folder: string, baseOffset: number): string {
  return posix.join(folder, `${digits(baseOffset)}.log`);
}

export function temporaryPath(folder: string, baseOffset: number): string {
  return `${segmentPath(folder, baseOffset)}.tmp`;
}

export function indexPath(folder: string, baseOffset: number): string {
  return posix.join(folder, `${digits(baseOffset)}.index`);
}

/** What a file of this name holds, or `null` when it is not numbered as ours are. */
export function parseFileName(name: string): NumberedFile | null {
  const [, offset, extension] = NAME.exec(name) ?? [];
  if (offset === undefined) return null;
  const baseOffset = Number(offset);
  if (!Number.isSafeInteger(baseOffset)) return null;
  if (extension === "log.tmp") return { kind: "temporary", baseOffset };
  return { kind: extension === "log" ? "segment" : "index", baseOffset };
}

export function isSegmentFileName(name: string): boolean {
  return parseFileName(name)?.kind === "segment";
}

/** True for every name that a log gives to a file of its folder. */
export function isLogFileName(name: string): boolean {
  const fixed = [MANIFEST_FILE_NAME, ...MANIFEST_TEMPORARY_NAMES, DOUBT_FILE_NAME];
  return fixed.includes(name) || parseFileName(name) !== null;
}

function digits(baseOffset: number): string {
  assert(Number.isSafeInteger(baseOffset) && baseOffset >= 0, `a base offset is not ${baseOffset}`);
  return String(baseOffset).padStart(OFFSET_DIGITS, "0");
}
