/**
 * The bytes around a checkpoint's payload:
 *
 *   {"crc32":"<8 lower-case hex digits>","version":<n>,"payload":<JSON>}<line feed>
 *
 * The CRC-32 is of the UTF-8 bytes from `"version"` up to the last brace, without it. The bytes outside have one spelling
 * and are compared one by one, so that no flipped bit goes unseen. Any JSON reader reads the file.
 */
import { crc32 } from "node:zlib";
import { assert } from "../../assert.ts";

const BEFORE_CRC = Buffer.from('{"crc32":"');
const AFTER_CRC = Buffer.from('",');
const END = Buffer.from("}\n");
const CRC_DIGITS = 8;
const BODY_POSITION = BEFORE_CRC.length + CRC_DIGITS + AFTER_CRC.length;

export interface Envelope {
  readonly version: number;
  readonly payload: unknown;
}

/** Why bytes are no envelope: what is there, and what should be. */
export interface EnvelopeProblem {
  readonly problem: string;
  readonly expected: string;
}

/** `payload` must be a JSON value. */
export function sealEnvelope(version: number, payload: unknown): Buffer {
  assert(Number.isSafeInteger(version) && version >= 1, `a version is a number from 1, not ${version}`);
  const json = JSON.stringify(payload);
  assert(typeof json === "string", "a payload must be a JSON value");
  const body = Buffer.from(`"version":${version},"payload":${json}`);
  return Buffer.concat([BEFORE_CRC, Buffer.from(hex(crc32(body))), AFTER_CRC, body, END]);
}

export function openEnvelope(bytes: Buffer): Envelope | EnvelopeProblem {
  const expected = "a checkpoint as this program writes it";
  if (!holdsAt(bytes, 0, BEFORE_CRC) || !holdsAt(bytes, BODY_POSITION - AFTER_CRC.length, AFTER_CRC)) {
    return { problem: `the file of ${bytes.length} bytes does not begin like a checkpoint`, expected };
  }
  if (bytes.length < BODY_POSITION + END.length || !holdsAt(bytes, bytes.length - END.length, END)) {
    return { problem: `the file of ${bytes.length} bytes does not end like a checkpoint`, expected };
  }
  const crc = bytes.toString("latin1", BEFORE_CRC.length, BEFORE_CRC.length + CRC_DIGITS);
  const body = bytes.subarray(BODY_POSITION, bytes.length - END.length);
  const seen = hex(crc32(body));
  if (crc !== seen)
    return { problem: `the CRC of its bytes is ${seen}`, expected: `${crc}, which it states` };
  return parseBody(body) ?? { problem: "its bytes are whole, but hold no version and payload", expected };
}

function parseBody(body: Buffer): Envelope | null {
  const value = parseJson(`{${body.toString("utf8")}}`);
  if (typeof value !== "object" || value === null) return null;
  if (!("version" in value) || !("payload" in value)) return null;
  const { version, payload } = value;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) return null;
  return { version, payload };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}

function holdsAt(bytes: Buffer, position: number, wanted: Buffer): boolean {
  return position >= 0 && bytes.subarray(position, position + wanted.length).equals(wanted);
}

function hex(crc: number): string {
  return crc.toString(16).padStart(CRC_DIGITS, "0");
}
