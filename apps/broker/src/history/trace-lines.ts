/**
 * A trace, as lines of JSON: what a manual cluster began with, then everything that came to it and that it did. It is the format
 * of `trace --save`, of snapshots that are kept in the folder, and of what read_history shows; docs/traces.md describes it.
 */
import { deflateSync, inflateSync } from "node:zlib";
import type { FolderImage, ImageEntry } from "./folder-image.ts";

export const TRACE_VERSION = 1;
/** Of a file's bytes in one line, before they are packed. */
const CHUNK_BYTES = 256 * 1024;

/** The first line. */
export interface TraceHead {
  readonly minikafka_trace: number;
  readonly program_version: string;
  /** The folder as it stands in events and messages. */
  readonly data: string;
  readonly start_time_ms: number;
  readonly seed: number;
  /** Those that make a difference to what happens. */
  readonly settings: { readonly [name: string]: unknown };
}

/** What happened, in its order. */
export type TraceEntry =
  | { readonly request: { readonly number: number; readonly connection: number; readonly line: string } }
  | { readonly answer: { readonly request: number; readonly line: string } }
  | { readonly event: { readonly [name: string]: unknown } }
  | { readonly closed: { readonly connection: number } };

export interface Trace {
  readonly head: TraceHead;
  readonly image: FolderImage;
  /** Each a line without its end. */
  readonly entries: readonly string[];
}

/** A trace that cannot be read; the message names the line. */
export class BadTrace extends Error {
  override readonly name = "BadTrace";
}

export function* imageLines(image: FolderImage): Generator<string> {
  for (const { path, bytes } of image.entries) {
    if (bytes === null) yield JSON.stringify({ folder: { path } });
    else
      for (let from = 0; from === 0 || from < bytes.length; from += CHUNK_BYTES) {
        const chunk = deflateSync(bytes.subarray(from, from + CHUNK_BYTES)).toString("base64");
        yield JSON.stringify({ file: { path, position: from, deflated_b64: chunk } });
      }
  }
}

/** Says that nothing is missing at the end. */
export function endLine(lines: number): string {
  return JSON.stringify({ end: { lines } });
}

/** All lines of a trace that is whole. */
export function* traceLines({ head, image, entries }: Trace): Generator<string> {
  let lines = 1;
  yield JSON.stringify(head);
  for (const line of imageLines(image)) {
    lines += 1;
    yield line;
  }
  yield* entries;
  yield endLine(lines + entries.length);
}

/** Reads a trace that is whole. Throws {@link BadTrace}. */
export function readTrace(text: string): Trace {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new BadTrace("the last line has no end");
  const ends = parsed(lines.pop() ?? "", lines.length + 1).end as { lines?: unknown } | undefined;
  if (ends?.lines !== lines.length)
    throw new BadTrace(`line ${lines.length + 1}: expected the end of ${lines.length} lines`);
  const head = parsed(lines[0] ?? "", 1) as unknown as TraceHead;
  if (head.minikafka_trace !== TRACE_VERSION)
    throw new BadTrace(`line 1: expected minikafka_trace ${TRACE_VERSION}, got ${head.minikafka_trace}`);
  const isPartOfImage = (line: string) => line.startsWith('{"file":') || line.startsWith('{"folder":');
  const behind = lines.findIndex((line, index) => index > 0 && !isPartOfImage(line));
  const imageEnd = behind === -1 ? lines.length : behind;
  return { head, image: readImage(lines.slice(1, imageEnd), 2), entries: lines.slice(imageEnd) };
}

/** `firstLine` is the number of the first of them. Throws {@link BadTrace}. */
export function readImage(lines: readonly string[], firstLine: number): FolderImage {
  const chunks = new Map<string, Buffer[] | null>();
  for (const [index, line] of lines.entries()) {
    const { file, folder } = parsed(line, firstLine + index) as ImageLine;
    const path = (file ?? folder)?.path;
    if (typeof path !== "string" || !isWithinFolder(path))
      throw new BadTrace(`line ${firstLine + index}: expected a path within the folder`);
    if (file === undefined) chunks.set(path, null);
    else chunks.set(path, [...(chunks.get(path) ?? []), inflated(file.deflated_b64, firstLine + index)]);
  }
  const entries = Array.from(chunks, ([path, parts]): ImageEntry => {
    return { path, bytes: parts === null ? null : Buffer.concat(parts) };
  });
  return { entries, sizeBytes: entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) };
}

interface ImageLine {
  readonly file?: { readonly path?: unknown; readonly deflated_b64?: unknown };
  readonly folder?: { readonly path?: unknown };
}

/** What comes from elsewhere must not reach beyond it. */
function isWithinFolder(path: string): boolean {
  const names = path.split("/");
  return !path.includes("\\") && names.every((name) => name !== "" && name !== "." && name !== "..");
}

function inflated(text: unknown, line: number): Buffer {
  try {
    return inflateSync(Buffer.from(String(text), "base64"), { maxOutputLength: CHUNK_BYTES });
  } catch (error) {
    throw new BadTrace(`line ${line}: its bytes cannot be unpacked: ${(error as Error).message}`);
  }
}

function parsed(line: string, number: number): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as { readonly [name: string]: unknown };
  } catch {
    // Said below.
  }
  throw new BadTrace(`line ${number}: expected a JSON object`);
}
