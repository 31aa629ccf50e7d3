/** What the tests of a log's producers share: batches that producers send, and what a walk over them tells. */
import { encodeBatch, readBatchHeader } from "@minikafka/record";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import {
  type ProducedBatch,
  type ProducerEntry,
  ProducerState,
} from "../src/log/producers/producer-state.ts";
import { batch, FOLDER, type LogWorld } from "./log-world.ts";

/** Batches of some producers by chance, each with the next sequence of its epoch. */
export class Writer {
  readonly #random: SeededRandom;
  readonly #next = new Map<number, { epoch: number; sequence: number }>();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  frame(): Buffer {
    const records = 1 + this.#random.below(3);
    const texts = Array.from({ length: records }, () => "v".repeat(1 + this.#random.below(60)));
    if (this.#random.below(4) === 0) return batch(texts);
    const producerId = this.#random.below(4);
    const known = this.#next.get(producerId) ?? { epoch: 0, sequence: 0 };
    const rises = this.#random.below(8) === 0;
    const { epoch, sequence } = rises ? { epoch: known.epoch + 1, sequence: 0 } : known;
    this.#next.set(producerId, { epoch, sequence: sequence + records });
    return produced(texts, { producerId, producerEpoch: epoch, baseSequence: sequence });
  }
}

export interface Sender {
  readonly producerId: number;
  readonly producerEpoch?: number;
  readonly baseSequence: number;
}

export function produced(
  texts: readonly string[],
  { producerId, producerEpoch = 0, baseSequence }: Sender,
): Buffer {
  const records = texts.map((text) => ({ key: null, value: Buffer.from(text), timestampMs: 5, headers: [] }));
  return encodeBatch({ records, producerId, producerEpoch, baseSequence });
}

export type Told = readonly (readonly [id: number, epoch: number, batches: readonly ProducedBatch[]])[];

/** By id, and without times: those of a walk are the walk's. */
export function told(entries: readonly ProducerEntry[]): Told {
  return [...entries]
    .sort((one, other) => one.producerId - other.producerId)
    .map(({ producerId, producerEpoch, batches }) => [producerId, producerEpoch, batches]);
}

/** What a walk over the first batches of `frames`, up to `endOffset`, tells. */
export function walked(frames: readonly Buffer[], endOffset: number): Told {
  const state = new ProducerState();
  for (const header of frames.map((frame) => readBatchHeader(frame)))
    if (header.nextOffset <= endOffset) state.note(header, 0);
  return told(state.entries());
}

export const snapshotsOn = (disk: MemoryDisk) =>
  [...disk.files().keys()].filter((path) => path.endsWith(".snapshot"));
export const snapshotAt = (offset: number) => `${FOLDER}/${String(offset).padStart(20, "0")}.snapshot`;

/** A log of `count` batches in several segments, flushed now and then. */
export async function written(
  world: LogWorld,
  { count = 30, seed = 7 } = {},
): Promise<{ log: PartitionLog; frames: Buffer[] }> {
  const log = world.open();
  const writer = new Writer(seed);
  const frames: Buffer[] = [];
  for (let n = 0; n < count; n++) {
    const frame = writer.frame();
    log.append(frame, 0);
    frames.push(frame);
    if (n % 5 === 4) await log.flush();
  }
  return { log, frames };
}
