/**
 * Which partition a record goes to. Pure but for the one partition that keyless records stick to.
 *
 * A key always goes to the same partition, so that its records stay in order. Keyless records stick to a partition until its
 * batch is closed and then move on (KIP-480): few full batches instead of many small ones. Each topic sticks on its own.
 */
import { crc32 } from "node:zlib";
import { isUnawaited } from "@minikafka/record";
import { usageError } from "../usage.ts";
import { murmur2, toPositive } from "./murmur2.ts";

/** From a key to a number of at least zero; its remainder by the number of partitions is the partition. */
export type KeyHash = (key: Uint8Array) => number;

/** "crc32" as the original did; "murmur2" puts keys where Kafka's Java client puts them; or one's own. */
export type Partitioner = "crc32" | "murmur2" | KeyHash;

export function keyHash(partitioner: Partitioner): KeyHash {
  if (partitioner === "crc32") return (key) => crc32(key);
  if (partitioner === "murmur2") return (key) => toPositive(murmur2(key));
  return (key) => checkedHash(partitioner(key));
}

function checkedHash(hash: number): number {
  if (Number.isSafeInteger(hash) && hash >= 0) return hash;
  const given = isUnawaited(hash) ? "a promise" : String(hash);
  throw usageError(`the partitioner gave ${given}; expected an integer of at least 0`);
}

/** The partition that the keyless records of one topic stick to. */
export class StickyPartition {
  readonly #random: () => number;
  #current: number | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** `available` holds at least one partition, ascending. */
  choose(available: readonly number[]): number {
    if (this.#current === null || !available.includes(this.#current)) {
      const index = Math.min(Math.floor(this.#random() * available.length), available.length - 1);
      this.#current = available[index] ?? 0;
    }
    return this.#current;
  }

  /** A batch of `partition` was closed: if records stuck to it, the next one goes to the partition after it. */
  moveOn(partition: number, available: readonly number[]): void {
    if (partition !== this.#current) return;
    this.#current = available.find((other) => other > partition) ?? available[0] ?? null;
  }
}
