/**
 * Traces and images from files, which anybody may have cut or changed: all of it is read before any of it is believed.
 *
 * Never: a trace with something in it that no history holds, nor an image that reaches beyond a cluster's files.
 */
import { crc32, inflateSync } from "node:zlib";
import { readRequest } from "@minikafka/protocol";
import { TIMESTAMP_MS_MAX } from "@minikafka/record";
import { fingerprint } from "./fingerprint.ts";
import { type FolderImage, type ImageEntry, isOfTheCluster } from "./folder-image.ts";
import { isWithoutHistory } from "./history.ts";
import {
  type AskedLine,
  bytesOfLine,
  CHUNK_BYTES,
  TRACE_VERSION,
  type Trace,
  type TraceHead,
} from "./trace-lines.ts";

/** A trace that cannot be read; the message names the line. */
export class BadTrace extends Error {
  override readonly name = "BadTrace";
}

type Fields = { readonly [name: string]: unknown };

/** Before this one the end had no number for all of it. */
const SEALED_SINCE_VERSION = 2;

/** Reads a trace that is whole, or says itself that it is not. Throws {@link BadTrace}. */
export function readTrace(text: string): Trace {
  const { lines, end } = endedLines(text);
  const head = readHead(lines[0] ?? "");
  const isPartOfImage = (line: string) => line.startsWith('{"file":') || line.startsWith('{"folder":');
  const behind = lines.findIndex((line, index) => index > 0 && !isPartOfImage(line));
  const imageEnd = behind === -1 ? lines.length : behind;
  const image = readImage(lines.slice(1, imageEnd), 2);
  const entries = lines.slice(imageEnd);
  for (const [index, line] of entries.entries()) requireEntry(line, imageEnd + index + 1);
  if (end.unfinished === true) return { head, image, entries, isUnfinished: true };
  if (head.minikafka_trace >= SEALED_SINCE_VERSION) requireWrittenSo(lines, end.crc32 === crcOf(lines));
  return { head, image, entries };
}

/** What sealedImage made. Throws {@link BadTrace}. */
export function readSealedImage(text: string): FolderImage {
  const { lines, end } = endedLines(text);
  const image = readImage(lines, 1);
  requireWrittenSo(lines, end.fingerprint === fingerprint(lines));
  return image;
}

/** Throws {@link BadTrace}. */
function requireWrittenSo(lines: readonly string[], isEqual: boolean): void {
  if (isEqual) return;
  throw new BadTrace(`line ${lines.length + 1}: the lines before it are not those that it was written for`);
}

function crcOf(lines: readonly string[]): number {
  return lines.reduce((crc, line) => crc32(`${line}\n`, crc), 0);
}

function endedLines(text: string): { readonly lines: readonly string[]; readonly end: Fields } {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new BadTrace("the last line has no end");
  const end = parsed(lines.pop() ?? "", lines.length + 1).end;
  if (!isFields(end) || end.lines !== lines.length)
    throw new BadTrace(`line ${lines.length + 1}: expected the end of ${lines.length} lines`);
  return { lines, end };
}

/** Throws {@link BadTrace}. */
function readHead(line: string): TraceHead {
  const head = parsed(line, 1);
  const refuse = (name: keyof TraceHead, expected: string): never => {
    throw new BadTrace(`line 1: ${name}: expected ${expected}, got ${said(head[name])}`);
  };
  const { minikafka_trace, program_version, data, settings, start_time_ms, seed, time_ms, kafka, http_port } =
    head;
  if (!isCount(minikafka_trace, TRACE_VERSION) || minikafka_trace === 0)
    return refuse("minikafka_trace", `1 to ${TRACE_VERSION}`);
  if (typeof program_version !== "string") return refuse("program_version", "a string");
  if (typeof data !== "string") return refuse("data", "a string");
  if (!isFields(settings)) return refuse("settings", "an object");
  if (!isCount(start_time_ms, TIMESTAMP_MS_MAX)) return refuse("start_time_ms", "a time in milliseconds");
  if (!isWhole(seed)) return refuse("seed", "a whole number");
  if (kafka !== undefined && !areAddresses(kafka)) return refuse("kafka", "a list of brokers' addresses");
  if (http_port !== undefined && !isCount(http_port)) return refuse("http_port", "a port");
  const places = { ...(kafka !== undefined && { kafka }), ...(http_port !== undefined && { http_port }) };
  const read = { minikafka_trace, program_version, data, start_time_ms, seed, settings, ...places };
  if (time_ms === undefined) return read;
  return isCount(time_ms, TIMESTAMP_MS_MAX)
    ? { ...read, time_ms }
    : refuse("time_ms", "a time in milliseconds");
}

/** Throws {@link BadTrace}. */
function requireEntry(line: string, number: number): void {
  const { request, answer, kafka_request, kafka_answer, refused, event, closed } = parsed(line, number);
  const isEntry =
    (isFields(request) &&
      isCount(request.number) &&
      isCount(request.connection) &&
      (typeof request.line === "string" || isBase64(request.line_b64))) ||
    (isFields(answer) && isCount(answer.request) && typeof answer.line === "string") ||
    isKafkaRequest(kafka_request) ||
    (isFields(kafka_answer) && isCount(kafka_answer.request) && isBase64(kafka_answer.frame_b64)) ||
    isRefused(refused) ||
    (isFields(closed) && isCount(closed.connection)) ||
    event !== undefined;
  if (!isEntry) throw new BadTrace(`line ${number}: expected a request, an answer, an event or a closed`);
  if (!isFields(request)) return;
  const operation = operationOf(bytesOfLine(request as AskedLine));
  if (operation !== null && (isWithoutHistory(operation) || operation === "crash"))
    throw new BadTrace(`line ${number}: ${operation} is a part of no history that can be carried out again`);
}

function areAddresses(value: unknown): value is NonNullable<TraceHead["kafka"]> {
  if (!Array.isArray(value)) return false;
  return value.every(
    (each) =>
      isFields(each) && isCount(each.broker_id) && typeof each.host === "string" && isCount(each.port),
  );
}

function isKafkaRequest(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { number, connection, broker_id, client_host, frame_b64 } = value;
  const areCounts = [number, connection, broker_id].every((each) => isCount(each));
  return areCounts && typeof client_host === "string" && isBase64(frame_b64);
}

function isRefused(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { connection, request, broker_id, reason } = value;
  const areNumbers =
    (request === null || isCount(request)) && (broker_id === undefined || isCount(broker_id));
  return isCount(connection) && areNumbers && typeof reason === "string";
}

function isBase64(value: unknown): boolean {
  return typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value;
}

/** `null` where the line is no request, as clients may send it. */
function operationOf(line: Buffer): string | null {
  try {
    const read = readRequest(line);
    return read.kind === "refused" ? null : read.request.operation;
  } catch {
    return null;
  }
}

/** `firstLine` is the number of the first of them. Throws {@link BadTrace}. */
function readImage(lines: readonly string[], firstLine: number): FolderImage {
  const found = new Map<string, Buffer[] | null>();
  let last = "";
  for (const [index, line] of lines.entries()) {
    const refuse = (problem: string): never => {
      throw new BadTrace(`line ${firstLine + index}: ${problem}`);
    };
    const { file, folder } = parsed(line, firstLine + index);
    const part = file ?? folder;
    if (!isFields(part)) return refuse("expected a file or a folder");
    const { path } = part;
    if (typeof path !== "string" || !isWithinCluster(path))
      return refuse(`expected a path of the cluster's within the folder, got ${said(path)}`);
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (parent !== "" && found.get(parent) !== null) refuse(`${path} stands in no folder`);
    const parts = found.get(path);
    if (parts !== undefined && (file === undefined || parts === null || path !== last))
      refuse(`${path} is there twice`);
    last = path;
    if (file === undefined) {
      found.set(path, null);
      continue;
    }
    const before = parts ?? [];
    const position = before.reduce((sum, { length }) => sum + length, 0);
    if (part.position !== position)
      refuse(`expected ${path} from position ${position}, got ${said(part.position)}`);
    before.push(inflated(part.deflated_b64, refuse));
    found.set(path, before);
  }
  const entries = Array.from(found, ([path, parts]): ImageEntry => {
    return { path, bytes: parts === null ? null : Buffer.concat(parts) };
  });
  return { entries, sizeBytes: entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) };
}

/** What comes from elsewhere must not reach beyond the cluster's files. */
function isWithinCluster(path: string): boolean {
  const names = path.split("/");
  const areNames = names.every((name) => name !== "" && name !== "." && name !== "..");
  return areNames && !path.includes("\\") && !path.includes("\0") && isOfTheCluster(names[0] ?? "");
}

function inflated(text: unknown, refuse: (problem: string) => never): Buffer {
  const packed = Buffer.from(String(text), "base64");
  if (packed.toString("base64") !== text) return refuse("its bytes are not base64");
  try {
    return inflateSync(packed, { maxOutputLength: CHUNK_BYTES });
  } catch (error) {
    return refuse(`its bytes cannot be unpacked: ${(error as Error).message}`);
  }
}

function parsed(line: string, number: number): Fields {
  try {
    const value: unknown = JSON.parse(line);
    if (isFields(value)) return value;
  } catch {
    // Said below.
  }
  throw new BadTrace(`line ${number}: expected a JSON object`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): value is number {
  return isWhole(value) && value >= 0 && value <= max;
}

function said(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
