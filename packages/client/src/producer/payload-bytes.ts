/**
 * Bytes that a caller has handed over, and still owns until they are copied into a batch.
 *
 * What it must not do meanwhile is give their memory away (`postMessage` and `structuredClone` with `transfer`): nothing of them could be
 * read any more. Such a record fails alone.
 */
import type { Record } from "@minikafka/record";
import type { MiniKafkaError } from "../errors.ts";
import { usageError } from "../usage.ts";

/** Throws USAGE when the memory of `bytes` was given away. */
export function requireMemory(what: string, bytes: Uint8Array | null): void {
  if (isLost(bytes)) throw withoutMemory(what);
}

/** Why `record` cannot be copied any more; `null` when it can. */
export function lostMemory({ key, value, headers }: Record): MiniKafkaError | null {
  if (isLost(key)) return withoutMemory("key");
  if (isLost(value)) return withoutMemory("value");
  if (headers.length === 0) return null;
  return headers.some((header) => isLost(header.value)) ? withoutMemory("a header's value") : null;
}

/** Bytes without memory have no length: all others are passed at once. */
function isLost(bytes: Uint8Array | null): boolean {
  return bytes !== null && bytes.length === 0 && !hasMemory(bytes);
}

/** Whatever reads them refuses bytes that have none, or that lie behind the end of what is left of it. */
function hasMemory(bytes: Uint8Array): boolean {
  try {
    bytes.keys();
    return true;
  } catch {
    return false;
  }
}

function withoutMemory(what: string): MiniKafkaError {
  return usageError(`${what} is bytes whose memory was given away (transferred); send a copy of them`);
}
