/**
 * A trace, as lines of JSON: what a manual cluster began with, then everything that came to it and that it did. It is the format
 * of `trace --save`, of snapshots that are kept in the folder, and of what read_history shows; docs/traces.md describes it.
 */
import { isUtf8 } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import type { BrokerAddress } from "../kafka/kafka-site.ts";
import { fingerprint } from "./fingerprint.ts";
import type { FolderImage } from "./folder-image.ts";

export const TRACE_VERSION = 2;
/** Of a file's bytes in one line, before they are packed. */
export const CHUNK_BYTES = 256 * 1024;

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
  /** Where Kafka's clients were told to connect; left out: nowhere. */
  readonly kafka?: readonly { readonly broker_id: number; readonly host: string; readonly port: number }[];
  /** Where it was told over HTTP how the broker is; left out: nowhere. */
  readonly http_port?: number;
  /** In the file of a snapshot: what the clock said when it was saved. */
  readonly time_ms?: number;
}

/** A request of Kafka's protocol: the frame behind its size. */
export interface KafkaRequestEntry {
  readonly number: number;
  readonly connection: number;
  /** At whose port it came. */
  readonly broker_id: number;
  readonly client_host: string;
  readonly frame_b64: string;
}

/** A line as it came; in Base64 where it is not UTF-8, of which text could not tell it from others. */
export type AskedLine = { readonly line: string } | { readonly line_b64: string };

export function askedLine(line: Buffer): AskedLine {
  return isUtf8(line) ? { line: line.toString() } : { line_b64: line.toString("base64") };
}

export function bytesOfLine(asked: AskedLine): Buffer {
  return "line" in asked ? Buffer.from(asked.line) : Buffer.from(asked.line_b64, "base64");
}

/** What could not be read. Where it is not even a request, these are all that is known of it. */
export interface RefusedEntry {
  readonly connection: number;
  /** `null` where it was none that is counted. */
  readonly request: number | null;
  /** At whose port it came, in Kafka's protocol. */
  readonly broker_id?: number;
  readonly reason: string;
}

/** What happened, in its order. */
export type TraceEntry =
  | { readonly request: { readonly number: number; readonly connection: number } & AskedLine }
  | { readonly answer: { readonly request: number; readonly line: string } }
  | { readonly kafka_request: KafkaRequestEntry }
  | { readonly kafka_answer: { readonly request: number; readonly frame_b64: string } }
  | { readonly refused: RefusedEntry }
  | { readonly event: { readonly [name: string]: unknown } }
  | { readonly closed: { readonly connection: number } };

export interface Trace {
  readonly head: TraceHead;
  readonly image: FolderImage;
  /** Each a line without its end. */
  readonly entries: readonly string[];
  /** Its writer was stopped: what came behind the last entry is not known. */
  readonly isUnfinished?: boolean;
}

/** Where a broker was found, as its answers of then say it. */
export interface Places {
  readonly kafka: readonly BrokerAddress[];
  readonly httpPort: number | null;
}

export function placesOf({ kafka = [], http_port }: TraceHead): Places {
  return {
    kafka: kafka.map(({ broker_id: brokerId, ...address }) => ({ brokerId, ...address })),
    httpPort: http_port ?? null,
  };
}

export function placeFields({ kafka, httpPort }: Places): Pick<TraceHead, "kafka" | "http_port"> {
  return {
    ...(kafka.length > 0 && {
      kafka: kafka.map(({ brokerId, ...address }) => ({ broker_id: brokerId, ...address })),
    }),
    ...(httpPort !== null && { http_port: httpPort }),
  };
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

/** An image that stands alone, with a number at its end for all of it: whoever believes it empties a folder. */
export function sealedImage(image: FolderImage): string[] {
  const lines = [...imageLines(image)];
  return [...lines, JSON.stringify({ end: { lines: lines.length, fingerprint: fingerprint(lines) } })];
}

/** All lines of a trace that is whole; the last says so, with a number for all bytes before it. */
export function* traceLines({ head, image, entries }: Trace): Generator<string> {
  let lines = 0;
  let crc = 0;
  for (const part of [[JSON.stringify(head)], imageLines(image), entries])
    for (const line of part) {
      lines += 1;
      crc = crc32(`${line}\n`, crc);
      yield line;
    }
  yield JSON.stringify({ end: { lines, crc32: crc } });
}
