/**
 * Bytes on the wire are strict Base64 (RFC 4648 §4): the standard alphabet, padded, nothing else. Node's decoder skips
 * what it does not know, so that a typing error would become other bytes; here it is refused.
 */

/** The text for a `_b64` field. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes of strict Base64, or `null` when `text` is anything else. */
export function decodeBase64(text: string): Buffer | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  // The URL alphabet and the padding are the only foreign characters that Node decodes without making the result shorter.
  if (text.includes("-") || text.includes("_")) return null;
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== (text.length / 4) * 3 - padding) return null;
  // Bits beyond the last byte must be zero, else two texts would mean the same bytes.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3)).toString("base64");
  return padding === 0 || text.endsWith(tail) ? bytes : null;
}
