/**
 * The records of one `sendMany`, which are accepted all or none: first each is looked at, then each is handed on.
 *
 * Owns what had to be made of them in between. An object for each record would be most of what a producer of small ones
 * leaves to the collector: a record that is bytes already is handed on in an object that serves for the next one as well.
 */
import {
  type AcceptedAs,
  isPlain,
  type PlainInput,
  PlainRecord,
  type ProducedRecord,
  toPendingRecord,
} from "./produced-record.ts";
import type { PendingRecord } from "./producer-batch.ts";

/** Copies what it keeps. */
type TakeRecord = (record: PendingRecord, topic: string, partition: number | undefined) => void;

export class AcceptedRecords {
  readonly #inputs: readonly ProducedRecord[];
  readonly #as: AcceptedAs;
  /** Those that are not plain, in the order of their slots. */
  readonly #made: PendingRecord[] = [];
  readonly heldBytes: number;

  /** Throws USAGE, INVALID_RECORD or RECORD_TOO_LARGE for the first record that cannot be sent. */
  constructor(inputs: readonly ProducedRecord[], as: AcceptedAs) {
    this.#inputs = inputs;
    this.#as = as;
    const plain = new PlainRecord(as);
    let heldBytes = 0;
    for (let slot = 0; slot < inputs.length; slot += 1) {
      const input = inputs[slot] as ProducedRecord;
      if (isPlain(input)) heldBytes += plain.become(input, slot).heldBytes;
      else {
        const record = toPendingRecord(input, slot, as);
        this.#made.push(record);
        heldBytes += record.heldBytes;
      }
    }
    this.heldBytes = heldBytes;
  }

  /** Calls `take` for each in their order. */
  handOn(take: TakeRecord): void {
    const inputs = this.#inputs;
    const plain = new PlainRecord(this.#as);
    let made = 0;
    for (let slot = 0; slot < inputs.length; slot += 1) {
      const input = inputs[slot] as ProducedRecord;
      const record = this.#made[made];
      if (record?.slot === slot) made += 1;
      const next = record?.slot === slot ? record : plain.become(input as PlainInput, slot);
      take(next, input.topic, input.partition);
    }
  }
}
