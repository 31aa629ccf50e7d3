/**
 * Bytes on the wire are strict Base64 (RFC 4648 §4): the standard alphabet, padded, nothing else. Node's decoder skips
 * what it does not know, so that a typing error would become other bytes; here it is refused.
 */

/** The text for a `_b64` field. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Base64 is made and read in pieces of so many characters: a piece stays in the processor's cache and is cheap garbage. */
const PIECE_CHARACTERS = 32 * 1024;
const PIECE_BYTES = (PIECE_CHARACTERS / 4) * 3;

/** How many characters {@link writeBase64} writes. */
export function base64Characters(lengthBytes: number): number {
  return Math.ceil(lengthBytes / 3) * 4;
}

/** Writes the text for a `_b64` field at `position`, where there must be room for it; returns the position after it. */
export function writeBase64(target: Buffer, position: number, bytes: Buffer): number {
  let at = position;
  for (let from = 0; from < bytes.length; from += PIECE_BYTES)
    at += target.write(bytes.toString("base64", from, from + PIECE_BYTES), at, "latin1");
  return at;
}

/** {@link decodeBase64} of the text that stands in `bytes` from `start` to `end`. */
export function decodeBase64In(bytes: Buffer, start: number, end: number): Buffer | null {
  const decoded: Buffer = Buffer.allocUnsafe(Math.ceil((end - start) / 4) * 3);
  let at = 0;
  let from = start;
  for (; end - from > PIECE_CHARACTERS; from += PIECE_CHARACTERS) {
    const piece = bytes.toString("latin1", from, from + PIECE_CHARACTERS);
    // Padding within the text, too, makes the piece that ends with it shorter.
    if (decoded.write(piece, at, "base64") !== PIECE_BYTES || hasUrlCharacters(piece)) return null;
    at += PIECE_BYTES;
  }
  const last = decodeBase64(bytes.toString("latin1", from, end));
  return last === null ? null : decoded.subarray(0, at + last.copy(decoded, at));
}

/** The bytes of strict Base64, or `null` when `text` is anything else. */
export function decodeBase64(text: string): Buffer | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (hasUrlCharacters(text)) return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== (text.length / 4) * 3 - padding) return null;
  // Bits beyond the last byte must be zero, else two texts would mean the same bytes.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3)).toString("base64");
  return padding === 0 || text.endsWith(tail) ? bytes : null;
}

/** The URL alphabet and the padding are the only foreign characters that Node decodes without making the result shorter. */
function hasUrlCharacters(text: string): boolean {
  return text.includes("-") || text.includes("_");
}
