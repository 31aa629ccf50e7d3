/**
 * The bound: what no daemon that takes batches as Base64 in JSON can spare. The line becomes text, the text a JSON value, its
 * Base64 bytes; the bytes are summed up by CRC-32 and written to a file. Nothing is checked, looked up, sent or answered.
 */
import { writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { BatchLine } from "./payload.ts";

/** Does it for `volumeBytes` of values, or a batch more, at the end of `file`. Returns how many bytes of values there were. */
export function bareWork(lines: readonly BatchLine[], volumeBytes: number, file: number): number {
  let moved = 0;
  for (let index = 0; moved < volumeBytes; index = (index + 1) % lines.length) {
    const { line, valueBytes } = lines[index] as BatchLine;
    const fields = JSON.parse(line.toString("latin1")) as { batch_b64: string };
    const frame = Buffer.from(fields.batch_b64, "base64");
    crc32(frame);
    writeSync(file, frame);
    moved += valueBytes;
  }
  return moved;
}
