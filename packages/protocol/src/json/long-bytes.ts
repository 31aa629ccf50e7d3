/**
 * A line whose long Base64 never goes through `JSON.parse`.
 *
 * A batch is a megabyte of Base64 in a line of a few hundred other characters. `JSON.parse` reads it one by one and copies
 * it; native search finds its end and native decoding makes bytes of it many times faster. So such a value is cut out, the
 * rest is read as strictly as any line, and the bytes take their place in what was read.
 *
 * Nothing is taken that {@link parseJsonObject} would refuse: what follows `_b64":"` and holds strict Base64 alone up to the
 * next quote can only be the inside of a string, and another text in its place changes nothing around it. Where there is any
 * doubt the line is read as a whole.
 */
import { decodeBase64In } from "./bytes.ts";
import { type LineBounds, NO_BOUNDS } from "./line-structure.ts";
import { InvalidJson, type JsonObject, parseJsonObject } from "./strict-json.ts";

/** Below this, cutting costs more than it spares. */
const LONG_CHARACTERS = 4_096;
/** A line with more short ones than this is one of many small records: looking through it is not worth it. */
const SHORT_VALUES_MAX = 64;
const OPENING = '_b64":"';
const QUOTE = 0x22;
/** Stands for bytes that were cut out; a number follows. */
const MARK = "cut out: ";

interface CutLine {
  /** The line without its long Base64. */
  readonly rest: Buffer;
  readonly cut: readonly Buffer[];
}

/**
 * The object on a line, as {@link parseJsonObject} reads it, but that values of names ending in `_b64` may be bytes already,
 * if they are long. Throws {@link InvalidJson}.
 */
export function parseJsonWithBytes(line: Buffer, bounds: LineBounds = NO_BOUNDS): JsonObject {
  const { rest, cut } = cutLongBytes(line);
  if (cut.length === 0) return parseJsonObject(line, bounds);
  try {
    const fields = parseJsonObject(rest, bounds);
    putBack(fields, cut);
    return fields;
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    // The message should speak of the line that the client sent.
    return parseJsonObject(line, bounds);
  }
}

function cutLongBytes(line: Buffer): CutLine {
  const parts: Buffer[] = [];
  const cut: Buffer[] = [];
  let kept = 0;
  let short = 0;
  let opening = line.length < LONG_CHARACTERS ? -1 : line.indexOf(OPENING);
  while (opening !== -1 && short <= SHORT_VALUES_MAX) {
    const start = opening + OPENING.length;
    const end = line.indexOf(QUOTE, start);
    if (end === -1) break;
    const isLong = end - start >= LONG_CHARACTERS;
    const bytes = isLong ? decodeBase64In(line, start, end) : null;
    if (!isLong) short += 1;
    if (bytes !== null) {
      const before = line.subarray(kept, start);
      if (isAmbiguous(before)) return { rest: line, cut: [] };
      parts.push(before, Buffer.from(`${MARK}${cut.length}`));
      cut.push(bytes);
      kept = end;
    }
    opening = line.indexOf(OPENING, end);
  }
  const after = line.subarray(kept);
  if (cut.length === 0 || isAmbiguous(after)) return { rest: line, cut: [] };
  return { rest: Buffer.concat([...parts, after]), cut };
}

/** Without a backslash every string means what it shows: then only what was cut out can read as a mark. */
function isAmbiguous(kept: Buffer): boolean {
  return kept.includes("\\") || kept.includes(MARK);
}

function putBack(value: object, cut: readonly Buffer[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) putBack(member, cut);
    else if (typeof member === "string" && member.startsWith(MARK))
      (value as { [name: string]: unknown })[name] = cut[Number(member.slice(MARK.length))];
  }
}
