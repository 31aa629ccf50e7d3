/** A request as a line. */

import { base64Characters, writeBase64 } from "@minikafka/protocol";
import { MiniKafkaError } from "../errors.ts";
import type { LineMemory } from "./line-memory.ts";

const CLOSING = '"}\n';

/** Bytes that travel as one Base64 field, beside the fields that go through JSON. */
export interface BytesField {
  readonly name: "batch_b64";
  readonly bytes: Buffer;
}

export interface RequestContent {
  readonly operation: string;
  readonly fields: object;
  readonly bytes?: BytesField | undefined;
}

/**
 * The line with its newline. The bytes are put in beside `JSON.stringify`, which would search a megabyte of Base64 for
 * characters to escape, and the line is made as one buffer, since writing it as UTF-8 text would check it once more. A line
 * with such bytes lies in `memory`, if there is any. Throws USAGE for fields without JSON: a bigint, or what holds itself.
 */
export function requestLine(id: number, content: RequestContent, memory?: LineMemory | null): Buffer {
  const head = headOf(id, content);
  if (content.bytes === undefined) return Buffer.from(`${head}\n`);
  const opening = `${head.slice(0, -1)},"${content.bytes.name}":"`;
  const { bytes } = content.bytes;
  const openingBytes = Buffer.byteLength(opening);
  const lineBytes = openingBytes + base64Characters(bytes.length) + CLOSING.length;
  const line = memory?.take(lineBytes) ?? Buffer.allocUnsafe(lineBytes);
  line.write(opening, 0, "utf8");
  const end = writeBase64(line, openingBytes, bytes);
  line.write(CLOSING, end, "latin1");
  return line;
}

function headOf(id: number, { operation, fields }: RequestContent): string {
  try {
    return JSON.stringify({ ...fields, operation, id });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new MiniKafkaError("USAGE", `${operation} has a field without JSON: ${why}`, { cause });
  }
}
