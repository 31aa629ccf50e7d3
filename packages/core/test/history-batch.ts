/** A batch of one record under one of a few keys; its value is `text`, or nothing at all now and then. */
import { type BatchContent, encodeBatch } from "@minikafka/record";
import type { Random } from "../src/env/random.ts";

const KEYS = 6;

export function batchFrom(
  random: Random,
  text: string,
  timestampMs: number,
  producer: Partial<BatchContent> = {},
): Buffer {
  const key = Buffer.from(`k${random.below(KEYS)}`);
  const value = random.below(5) === 0 ? null : Buffer.from(text);
  return encodeBatch({ records: [{ key, value, timestampMs, headers: [] }], ...producer });
}
