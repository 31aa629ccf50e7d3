/**
 * What the clients of a soak know: what they sent and what they were told. The judge has nothing else to go by; whatever the broker
 * thinks of itself is no evidence.
 */

/** A record that is there for good. */
export interface Acknowledged {
  readonly writer: string;
  readonly topic: string;
  readonly partition: number;
  readonly number: number;
  readonly offset: number;
}

/** One partition, as the members of a group have read it. */
export class ReadPartition {
  /** By offset: what was handed out. */
  readonly seen = new Map<number, string>();
  /** Offsets whose commit had no answer: it may come late. */
  readonly inDoubt = new Set<number>();
  /** The highest offset whose commit was answered. */
  committed = 0;
  /** Behind the last record that is there for good. */
  keptEnd = 0;
}

export class History {
  readonly #kept: Acknowledged[] = [];
  /** The values of those that surely were not appended. */
  readonly refused = new Set<string>();
  readonly #read = new Map<string, ReadPartition>();

  get kept(): readonly Acknowledged[] {
    return this.#kept;
  }

  /** How many records are known to be there that no member of the group was shown. */
  get unread(): number {
    let unread = 0;
    for (const { seen, keptEnd } of this.#read.values()) unread += Math.max(0, keptEnd - seen.size);
    return unread;
  }

  keep(record: Acknowledged): void {
    this.#kept.push(record);
    const partition = this.readOf(record.topic, record.partition);
    partition.keptEnd = Math.max(partition.keptEnd, record.offset + 1);
  }

  readOf(topic: string, partition: number): ReadPartition {
    const place = `${topic}-${partition}`;
    const known = this.#read.get(place) ?? new ReadPartition();
    this.#read.set(place, known);
    return known;
  }
}

/** What a writer writes: its name, a number that grows, and something to fill a segment with. */
export function textOf(writer: string, number: number): string {
  return `${writer}/${number}/${"x".repeat((number * 37) % 400)}`;
}

/** Throws for what no writer has written. */
export function writerAndNumber(value: string): { readonly writer: string; readonly number: number } {
  const [writer = "", number = ""] = value.split("/");
  if (value !== textOf(writer, Number(number))) throw new Error(`${value} is nobody's`);
  return { writer, number: Number(number) };
}
