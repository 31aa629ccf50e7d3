/** What clients of a cluster were told, and what they have asked for without being told: what a check of it may rely on. */
import type { Acks } from "../../src/replica/acknowledgement.ts";

export interface Sent {
  /** `topic-partition`. */
  readonly place: string;
  readonly key: string | null;
  readonly value: string;
  readonly acks: Acks;
  /** Whether a retry is known as one. */
  readonly isIdempotent: boolean;
  /** Its transaction's name, or `null`. */
  readonly transaction: string | null;
  /** Where it was acknowledged, and under which leader epoch; `null` while nobody knows. */
  readonly told: { readonly offset: number; readonly leaderEpoch: number } | null;
}

export interface Facts {
  /** A topic that is `unknown` may be there or not. */
  readonly topics: { readonly [topic: string]: "there" | "gone" | "unknown" };
  readonly partitions: { readonly [topic: string]: number };
  readonly sent: readonly Sent[];
  /** Values that were refused because of the disk, before anything was appended, and not asked for again. */
  readonly refused: readonly string[];
  /** By place: what lies below may be gone. */
  readonly deletedBefore: { readonly [place: string]: number };
  /** By group, the committed offset of plain-0: what was acknowledged last, and what was asked for since. */
  readonly offsets: {
    readonly [group: string]: { readonly told: number | null; readonly asked: readonly number[] };
  };
  /** By group: the generation that a member was told last. */
  readonly generations: { readonly [group: string]: number };
  readonly transactions: {
    readonly [name: string]: { readonly end: "none" | "commit" | "abort"; readonly isTold: boolean };
  };
  readonly producerIds: readonly number[];
}

const NOTHING: Facts = {
  topics: {},
  partitions: {},
  sent: [],
  refused: [],
  deletedBefore: {},
  offsets: {},
  generations: {},
  transactions: {},
  producerIds: [],
};

export class Witness {
  #facts: Facts;

  constructor(facts: Facts = NOTHING) {
    this.#facts = facts;
  }

  /** As they are now: they never change, others take their place. */
  get facts(): Facts {
    return this.#facts;
  }

  topic(topic: string, fate: Facts["topics"][string], partitions?: number): void {
    this.#set({ topics: { ...this.#facts.topics, [topic]: fate } });
    if (partitions !== undefined)
      this.#set({ partitions: { ...this.#facts.partitions, [topic]: partitions } });
  }

  /** The same value again is a retry. */
  asked(sent: Omit<Sent, "told">): void {
    this.#set({ refused: this.#facts.refused.filter((value) => value !== sent.value) });
    const isKnown = this.#facts.sent.some(({ value }) => value === sent.value);
    if (!isKnown) this.#set({ sent: [...this.#facts.sent, { ...sent, told: null }] });
  }

  refused(value: string): void {
    this.#set({ refused: [...this.#facts.refused, value] });
  }

  acknowledged(value: string, offset: number, leaderEpoch: number): void {
    const told = { offset, leaderEpoch };
    this.#set({ sent: this.#facts.sent.map((sent) => (sent.value === value ? { ...sent, told } : sent)) });
  }

  /** A power cut, which the workload brought about, may have taken what only one log had. */
  doomed(values: readonly string[]): void {
    this.#set({
      sent: this.#facts.sent.map((sent) => (values.includes(sent.value) ? { ...sent, told: null } : sent)),
    });
  }

  deletes(place: string, before: number): void {
    const deletedBefore = Math.max(before, this.#facts.deletedBefore[place] ?? 0);
    this.#set({ deletedBefore: { ...this.#facts.deletedBefore, [place]: deletedBefore } });
  }

  commits(group: string, offset: number, isTold: boolean): void {
    const { told = null, asked = [] } = this.#facts.offsets[group] ?? {};
    const now = isTold ? { told: offset, asked: [] } : { told, asked: [...asked, offset] };
    this.#set({ offsets: { ...this.#facts.offsets, [group]: now } });
  }

  /** Nothing is known of it any more, and nothing is asked. */
  forgets(group: string): void {
    const { [group]: _offset, ...offsets } = this.#facts.offsets;
    const { [group]: _generation, ...generations } = this.#facts.generations;
    this.#set({ offsets, generations });
  }

  generation(group: string, generation: number): void {
    this.#set({ generations: { ...this.#facts.generations, [group]: generation } });
  }

  transaction(name: string, end: "none" | "commit" | "abort", isTold = false): void {
    this.#set({ transactions: { ...this.#facts.transactions, [name]: { end, isTold } } });
  }

  producerId(producerId: number): void {
    if (this.#facts.producerIds.includes(producerId))
      throw new Error(`producer id ${producerId} was given twice`);
    this.#set({ producerIds: [...this.#facts.producerIds, producerId] });
  }

  #set(change: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...change };
  }
}
