/** What is said of records that get no line of their own: how many, and between which offsets of each partition. */
import type { RecordMetadata } from "@minikafka/client";

interface Range {
  first: number | null;
  last: number | null;
}

export class LandingSum {
  #count = 0;
  readonly #ranges = new Map<number, Range>();

  add({ partition, offset }: RecordMetadata): void {
    this.#count += 1;
    const range = this.#ranges.get(partition);
    if (range === undefined) this.#ranges.set(partition, { first: offset, last: offset });
    else range.last = offset;
  }

  /** `null` when there is nothing to say. Others may have written in between: the offsets are bounds, not a count. */
  text(): string | null {
    if (this.#count === 0) return null;
    const places = [...this.#ranges]
      .sort(([left], [right]) => left - right)
      .map(([partition, { first, last }]) =>
        first === null || last === null
          ? `partition ${partition}`
          : `partition ${partition}, offsets ${first} to ${last}`,
      );
    return `and ${this.#count} more: ${places.join("; ")}`;
  }
}
