/**
 * Records on their way to one partition, and whom to tell.
 *
 * Owns the frame that they are encoded into as they come, and their deliveries until they are settled. Invariants: a record's
 * delivery, timestamp and place in the frame share one index; the exact size of the frame is known at every moment. Never
 * changes once it is closed, so that a retry sends the same.
 */
import {
  BatchBuilder,
  type BatchSequence,
  type PackingCodec,
  type Record,
  sequenceAfter,
  stampProducer,
} from "@minikafka/record";
import type { MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { TopicPartition } from "../topic-partition.ts";
import { packed, recordsIn } from "./batch-packing.ts";
import type { Delivery } from "./delivery.ts";
import type { FrameMemory } from "./frame-memory.ts";
import { heldBytesOf } from "./held-bytes.ts";

const NO_BYTES = Buffer.alloc(0);

/** A record with its way back to the caller. Copied where it is kept: the same object may be the next record. */
export interface PendingRecord extends Record {
  readonly delivery: Delivery;
  readonly slot: number;
  /** What it takes of the producer's buffer. */
  readonly heldBytes: number;
}

/** Records that follow each other in the batch as in their delivery. */
interface Run {
  readonly delivery: Delivery;
  readonly firstSlot: number;
  count: number;
  readonly firstTimestampMs: number;
  /** `null` while all are the first one's, as in most runs. */
  timestampsMs: number[] | null;
}

export interface BatchBounds {
  /** Never passed, but by a first record, which always has its place. */
  readonly frameBytesMax: number;
  /** How large the frame will probably become. */
  readonly expectedBytes: number;
  /** Where its memory comes from. */
  readonly frames: FrameMemory;
  /** What it is compressed with once it is closed. */
  readonly codec: PackingCodec | null;
}

export class ProducerBatch {
  readonly place: TopicPartition;
  /** When its first record came, on the clock's `elapsedMs`. */
  readonly createdMs: number;
  /** Its place among the batches of its partition; the parts of a split batch share it. */
  readonly order: number;
  /** Failed attempts so far. */
  failures = 0;
  /** Attempts begun with the present sequence. */
  attempts = 0;
  /** An attempt may have taken effect, and no answer has told. */
  isInDoubt = false;
  readonly #frameBytesMax: number;
  readonly #frames: FrameMemory;
  readonly #codec: PackingCodec | null;
  #memory: Buffer | null = null;
  #builder: BatchBuilder | null;
  #frame: Buffer = NO_BYTES;
  #runs: Run[] = [];
  #recordCount = 0;
  #heldBytes = 0;
  #sequence: BatchSequence | null = null;
  #isWatched = false;
  #isDone = false;
  #error: MiniKafkaError | null = null;
  #watchers: ((error: MiniKafkaError | null) => void)[] = [];

  constructor(place: TopicPartition, createdMs: number, order: number, bounds: BatchBounds) {
    this.place = place;
    this.createdMs = createdMs;
    this.order = order;
    this.#frameBytesMax = bounds.frameBytesMax;
    this.#frames = bounds.frames;
    this.#codec = bounds.codec;
    this.#builder = new BatchBuilder(bounds.frames.take(bounds.expectedBytes));
  }

  get recordCount(): number {
    return this.#recordCount;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether its records are: nobody waits for an answer any more. */
  get isSettled(): boolean {
    return this.#isDone;
  }

  /** The size of the frame so far, and once it is closed of what is sent. */
  get frameBytes(): number {
    return this.#builder?.frameBytes ?? this.frame().length;
  }

  /** Adds a copy of `record`; false, and nothing is added, when there is no room. */
  add(record: PendingRecord): boolean {
    const count = this.#recordCount;
    const frameBytesMax = count === 0 ? Number.POSITIVE_INFINITY : this.#frameBytesMax;
    if (count >= LIMITS.recordsPerBatchMax || this.#builder?.add(record, frameBytesMax) !== true)
      return false;
    this.#recordCount += 1;
    this.#heldBytes += record.heldBytes;
    this.#note(record);
    return true;
  }

  #note({ delivery, slot, timestampMs }: PendingRecord): void {
    const last = this.#runs[this.#runs.length - 1];
    if (last === undefined || last.delivery !== delivery || last.firstSlot + last.count !== slot) {
      const times = { firstTimestampMs: timestampMs, timestampsMs: null };
      this.#runs.push({ delivery, firstSlot: slot, count: 1, ...times });
      return;
    }
    if (last.timestampsMs === null && timestampMs !== last.firstTimestampMs)
      last.timestampsMs = new Array<number>(last.count).fill(last.firstTimestampMs);
    last.timestampsMs?.push(timestampMs);
    last.count += 1;
  }

  /** The unassigned frame. From now on nothing is added. Nothing is left of it once the records are settled. */
  frame(): Buffer {
    if (this.#builder !== null) {
      const plain = this.#builder.finish();
      this.#frame = packed(plain, this.#codec);
      if (this.#frame === plain) this.#memory = this.#builder.memory;
      else this.#frames.giveBack(this.#builder.memory);
    }
    this.#builder = null;
    return this.#frame;
  }

  /** Of an idempotent producer, from the moment at which it is first sent: a retry is known by it. */
  get sequence(): BatchSequence | null {
    return this.#sequence;
  }

  /** The batch is `sequence` from now on, in every attempt. */
  assignSequence(sequence: BatchSequence): void {
    stampProducer(this.frame(), sequence);
    this.#sequence = sequence;
  }

  /** For a batch that surely was not appended, and gets its place in the producer's next epoch. */
  forgetSequence(): void {
    this.#sequence = null;
    this.attempts = 0;
    this.isInDoubt = false;
  }

  /** Resolves when all records are settled, with what they failed with. From now on a failure is known to be reported. */
  whenDone(): Promise<MiniKafkaError | null> {
    this.#isWatched = true;
    if (this.#isDone) return Promise.resolve(this.#error);
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  /** `baseOffset` is `null` when nobody said where the records are; an append time goes before the records' own. */
  succeed(baseOffset: number | null, appendTimeMs?: number): void {
    const { topic, partition } = this.place;
    let offset = baseOffset;
    for (const { delivery, firstSlot, count, firstTimestampMs, timestampsMs } of this.#runs) {
      for (let index = 0; index < count; index += 1) {
        const timestampMs = appendTimeMs ?? timestampsMs?.[index] ?? firstTimestampMs;
        delivery.succeed(firstSlot + index, { topic, partition, offset, timestampMs });
        if (offset !== null) offset += 1;
      }
    }
    // After another attempt a request that nobody waits for any more could still be about to read it.
    if (this.#memory !== null && this.failures === 0) this.#frames.giveBack(this.#memory);
    this.#end(null);
  }

  fail(error: MiniKafkaError): void {
    for (const { delivery, firstSlot, count } of this.#runs)
      for (let slot = firstSlot; slot < firstSlot + count; slot += 1)
        delivery.fail(slot, error, this.#isWatched);
    this.#end(error);
  }

  /** Two batches of half the records each, in order. Whoever waits for this one waits for both. */
  split(): [ProducerBatch, ProducerBatch] {
    const records = this.#pending();
    const middle = Math.ceil(records.length / 2);
    const first = this.#part(records.slice(0, middle), 0);
    const second = this.#part(records.slice(middle), middle);
    if (this.#isWatched) {
      void Promise.all([first.whenDone(), second.whenDone()]).then(([one, other]) => this.#end(one ?? other));
    }
    return [first, second];
  }

  /** The records as they were added, from their bytes. */
  #pending(): PendingRecord[] {
    const records = recordsIn(this.frame());
    const pending: PendingRecord[] = [];
    for (const { delivery, firstSlot, count } of this.#runs)
      for (let slot = firstSlot; slot < firstSlot + count; slot += 1) {
        const record = records[pending.length] as Record;
        const heldBytes = heldBytesOf(record.key, record.value, record.headers);
        pending.push({ ...record, delivery, slot, heldBytes });
      }
    return pending;
  }

  /** Each record keeps its sequence. */
  #part(records: readonly PendingRecord[], firstIndex: number): ProducerBatch {
    const [frames, codec] = [this.#frames, this.#codec];
    const bounds = { frameBytesMax: Number.POSITIVE_INFINITY, expectedBytes: this.frameBytes, frames, codec };
    const part = new ProducerBatch(this.place, this.createdMs, this.order, bounds);
    for (const record of records) part.add(record);
    part.isInDoubt = this.isInDoubt;
    if (this.#sequence !== null) {
      const baseSequence = sequenceAfter(this.#sequence.baseSequence, firstIndex);
      part.assignSequence({ ...this.#sequence, baseSequence });
    }
    return part;
  }

  #end(error: MiniKafkaError | null): void {
    this.#isDone = true;
    this.#error = error;
    this.#runs = [];
    this.#recordCount = 0;
    this.#heldBytes = 0;
    this.#builder = null;
    this.#memory = null;
    this.#frame = NO_BYTES;
    for (const tell of this.#watchers) tell(error);
    this.#watchers = [];
  }
}
