/**
 * Which records of fetched batches a reader is shown: none of a control batch, none of an aborted transaction, none below the
 * offset that was asked for, and no more than were asked for. What is not shown is passed over: nobody has to ask for it again.
 */
import { type BatchHeader, decodeRecords, readBatchHeader, type StoredRecord } from "@minikafka/record";

/** An aborted transaction in one partition: its batches lie from `firstOffset` on and before `lastOffset`, its marker's. */
export interface AbortedRange {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

export interface ShownRecords {
  readonly records: readonly StoredRecord[];
  /** The first shown record that there was no more room for; `null` when all of the batches were gone through. */
  readonly nextOffset: number | null;
}

/** `batches` are whole frames that the kernel has checked; `aborted` stands by first offset, none for who reads all. */
export function shownRecords(
  batches: Buffer,
  offset: number,
  recordsMax: number,
  aborted: readonly AbortedRange[],
): ShownRecords {
  const records: StoredRecord[] = [];
  const hiding = new Hiding(aborted);
  for (let position = 0; position < batches.length; ) {
    const header = readBatchHeader(batches, position);
    const frameEnd = position + header.frameBytes;
    if (!hiding.hides(header)) {
      for (const record of decodeRecords(batches.subarray(position, frameEnd))) {
        // A batch comes whole; what lies below the offset was not asked for.
        if (record.offset < offset) continue;
        if (records.length === recordsMax) return { records, nextOffset: record.offset };
        records.push(record);
      }
    }
    position = frameEnd;
  }
  return { records, nextOffset: null };
}

/** Judges batches in the order of their offsets, each aborted transaction looked at once. */
class Hiding {
  readonly #aborted: readonly AbortedRange[];
  #begun = 0;
  /** By producer, where the last of its aborted transactions that has begun ends: a producer has one at a time. */
  readonly #endOf = new Map<number, number>();

  constructor(aborted: readonly AbortedRange[]) {
    this.#aborted = aborted;
  }

  hides({ control, transactional, producerId, baseOffset, nextOffset }: BatchHeader): boolean {
    for (;;) {
      const next = this.#aborted[this.#begun];
      if (next === undefined || next.firstOffset > baseOffset) break;
      this.#endOf.set(next.producerId, next.lastOffset);
      this.#begun += 1;
    }
    if (control !== null) return true;
    return transactional && nextOffset <= (this.#endOf.get(producerId) ?? 0);
  }
}
