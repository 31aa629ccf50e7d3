/**
 * Numbers and the names of files in a partition's folder: the only place that knows how one becomes the other.
 *
 *   <base offset, 20 digits>.log     a segment
 *   <base offset, 20 digits>.index   its offset index
 *   manifest.json                    which segments count; also manifest.json.tmp and manifest.json.tmp-later
 */
import { posix } from "node:path";
import { assert } from "../assert.ts";

export const MANIFEST_FILE_NAME = "manifest.json";
export const MANIFEST_TEMPORARY_NAMES: readonly string[] = [
  `${MANIFEST_FILE_NAME}.tmp`,
  `${MANIFEST_FILE_NAME}.tmp-later`,
];

/** Enough for any i64, so that names sort as their numbers do (Kafka: the same). */
const OFFSET_DIGITS = 20;
const NAME = /^(\d{20})\.(log|index)$/;

export interface NumberedFile {
  readonly kind: "segment" | "index";
  readonly baseOffset: number;
}

export function segmentPath(folder: string, baseOffset: number): string {
  return posix.join(folder, `${digits(baseOffset)}.log`);
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
  return { kind: extension === "log" ? "segment" : "index", baseOffset };
}

export function isSegmentFileName(name: string): boolean {
  return parseFileName(name)?.kind === "segment";
}

/** True for every name that a log gives to a file of its folder. */
export function isLogFileName(name: string): boolean {
  return (
    name === MANIFEST_FILE_NAME || MANIFEST_TEMPORARY_NAMES.includes(name) || parseFileName(name) !== null
  );
}

function digits(baseOffset: number): string {
  assert(Number.isSafeInteger(baseOffset) && baseOffset >= 0, `a base offset is not ${baseOffset}`);
  return String(baseOffset).padStart(OFFSET_DIGITS, "0");
}
