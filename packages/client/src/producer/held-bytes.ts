/** What a record takes of a producer's buffer while it is not acknowledged. */
import type { Record } from "@minikafka/record";
import { LIMITS } from "../limits.ts";

/** A header's lengths and objects beside its bytes. */
const HEADER_OVERHEAD_BYTES = 16;

/** Never less than the record's exact size in a batch. */
export function heldBytesOf(key: Record["key"], value: Record["value"], headers: Record["headers"]): number {
  let bytes = LIMITS.recordOverheadBytes + (key?.length ?? 0) + (value?.length ?? 0);
  // As in the encoder: an iterator over nothing is not for nothing.
  if (headers.length === 0) return bytes;
  for (const header of headers)
    bytes += HEADER_OVERHEAD_BYTES + Buffer.byteLength(header.key) + (header.value?.length ?? 0);
  return bytes;
}
