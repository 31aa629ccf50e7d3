/**
 * Which records of fetched batches a reader is shown: none of a control batch, none of an aborted transaction, none below the
 * offset that was asked for, and no more than were asked for; those of compressed batches are unpacked. What is not shown is passed over: nobody has to ask for it again.
 */
import { compression } from "@minikafka/compression";
import { BrokerError, requireUnpacked } from "@minikafka/core";
import {
  type BatchHeader,
  decodeRecords,
  isPlain,
  readBatchHeader,
  type StoredRecord,
} from "@minikafka/record";

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
  /** By how much what was unpacked is larger than what was read. */
  readonly unpackedBytes: number;
}

export interface ShownLimits {
  readonly recordsMax: number;
  /** No batch is unpacked once so much more was than was read: the bound of what is read says nothing of that. */
  readonly unpackedBytesMax: number;
}

/** `batches` are whole frames that the kernel has checked; `aborted` stands by first offset, none for who reads all. */
export function shownRecords(
  batches: Buffer,
  offset: number,
  { recordsMax, unpackedBytesMax }: ShownLimits,
  aborted: readonly AbortedRange[],
): ShownRecords {
  const records: StoredRecord[] = [];
  let unpackedBytes = 0;
  const hiding = new Hiding(aborted);
  for (let position = 0; position < batches.length; ) {
    const header = readBatchHeader(batches, position);
    const frameEnd = position + header.frameBytes;
    if (!hiding.hides(header)) {
      const isFull = records.length === recordsMax || unpackedBytes >= unpackedBytesMax;
      if (isFull && records.length > 0 && !isPlain(header))
        return { records, nextOffset: Math.max(offset, header.baseOffset), unpackedBytes };
      const plain = plainOf(batches.subarray(position, frameEnd), header);
      unpackedBytes += Math.max(0, plain.length - header.frameBytes);
      for (const record of decodeRecords(plain)) {
        // A batch comes whole; what lies below the offset was not asked for.
        if (record.offset < offset) continue;
        if (records.length === recordsMax) return { records, nextOffset: record.offset, unpackedBytes };
        records.push(record);
      }
    }
    position = frameEnd;
  }
  return { records, nextOffset: null, unpackedBytes };
}

function plainOf(frame: Buffer, { baseOffset }: BatchHeader): Buffer {
  return requireUnpacked(frame, compression, (problem) => {
    const message = `the records of the batch at offset ${baseOffset} cannot be unpacked: ${problem}`;
    return new BrokerError("STORAGE_ERROR", message, { offset: baseOffset });
  });
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
