/**
 * What a log knows of the producers that wrote it (Kafka: ProducerStateManager, KIP-98): for each id its epoch and its last
 * batches, so that a batch which comes a second time is known, and one that does not follow the last is seen.
 *
 * Owns: the table. It is a function of the headers that were noted, in the order of the log, and of what was forgotten.
 * Invariants: an epoch never goes back; a producer's batches are in the order of the log, at most
 * LIMITS.batchesPerProducerMax of them; the producer that was heard of last stands last.
 * Never: a decision about a batch that is not in the log yet (../../replica/sequence-check.ts); the clock.
 */
import { type BatchHeader, contentCrc, sequenceAfter } from "@minikafka/record";
import { LIMITS } from "../../limits.ts";

export interface ProducedBatch {
  /** The sequence of its first record; the others follow. */
  readonly baseSequence: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** Of what the producer sent (record/content-crc.ts); `null` once compaction has taken a part of it away. */
  readonly contentCrc: number | null;
  /** The time that the leader gave it; `null` when its records keep their producer's. */
  readonly appendTimeMs: number | null;
}

export interface ProducerEntry {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** When a batch of it was last taken, on the clock of whoever took it. */
  readonly lastSeenMs: number;
  /** Oldest first; none after a marker that raised the epoch. */
  readonly batches: readonly ProducedBatch[];
}

/** The sequence of the batch's last record. */
export function lastSequenceOf({ baseSequence, baseOffset, nextOffset }: ProducedBatch): number {
  return sequenceAfter(baseSequence, nextOffset - baseOffset - 1);
}

/** The sequence that `producer` has to send next in its epoch. */
export function expectedSequence({ batches }: ProducerEntry): number {
  const last = batches.at(-1);
  return last === undefined ? 0 : sequenceAfter(lastSequenceOf(last), 1);
}

export class ProducerState {
  /** By producer id; who was heard of last stands last. */
  readonly #producers: Map<number, ProducerEntry>;

  constructor(entries: Iterable<ProducerEntry> = []) {
    this.#producers = new Map();
    for (const entry of entries) this.#producers.set(entry.producerId, entry);
  }

  get size(): number {
    return this.#producers.size;
  }

  get(producerId: number): ProducerEntry | undefined {
    return this.#producers.get(producerId);
  }

  /** Who was heard of longest ago comes first. */
  entries(): readonly ProducerEntry[] {
    return [...this.#producers.values()];
  }

  /**
   * A batch is in the log; `nowMs` is when that was learned. Returns the producer that had to go to make room, or `null`: the
   * one that was silent for longest.
   */
  note(header: BatchHeader, nowMs: number): ProducerEntry | null {
    const { producerId, producerEpoch } = header;
    if (producerId < 0) return null;
    const known = this.#producers.get(producerId);
    // A leader refuses an older epoch; what an older program let through changes nothing.
    if (known !== undefined && producerEpoch < known.producerEpoch) return null;
    const before = known?.producerEpoch === producerEpoch ? known.batches : [];
    const batches = isSequenced(header) ? withBatch(before, header) : before;
    this.#producers.delete(producerId);
    this.#producers.set(producerId, { producerId, producerEpoch, lastSeenMs: nowMs, batches });
    return this.#producers.size > LIMITS.producersPerPartitionMax ? this.#forgetFirst() : null;
  }

  /**
   * Forgets, and returns, the producers that nothing was heard of since `sinceMs`, but for those that are kept. Kafka:
   * producer.id.expiration.ms.
   */
  forgetIdle(sinceMs: number, isKept: (producerId: number) => boolean = () => false): ProducerEntry[] {
    const idle = this.entries().filter(
      ({ lastSeenMs, producerId }) => lastSeenMs <= sinceMs && !isKept(producerId),
    );
    for (const { producerId } of idle) this.#producers.delete(producerId);
    return idle;
  }

  #forgetFirst(): ProducerEntry | null {
    for (const entry of this.#producers.values()) {
      this.#producers.delete(entry.producerId);
      return entry;
    }
    return null;
  }
}

/** A marker ends a transaction and has no sequence; neither has what an older coordinator wrote. */
function isSequenced({ control, baseSequence }: BatchHeader): boolean {
  return control === null && baseSequence >= 0;
}

function withBatch(batches: readonly ProducedBatch[], header: BatchHeader): ProducedBatch[] {
  const { baseSequence, baseOffset, nextOffset, timestampType, maxTimestampMs } = header;
  const appendTimeMs = timestampType === "append" ? maxTimestampMs : null;
  const batch = { baseSequence, baseOffset, nextOffset, contentCrc: contentCrc(header), appendTimeMs };
  return [...batches.slice(-(LIMITS.batchesPerProducerMax - 1)), batch];
}
