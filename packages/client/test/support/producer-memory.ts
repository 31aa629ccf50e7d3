/** What a broker remembers of idempotent producers, as far as a scripted one needs it (KIP-98, KIP-360). */
import type { ErrorCode } from "@minikafka/protocol";
import { type BatchHeader, contentCrc, sequenceAfter } from "@minikafka/record";

const REMEMBERED = 5;

interface Remembered {
  readonly baseSequence: number;
  readonly nextSequence: number;
  readonly content: number | null;
  readonly offset: number;
}

/** What to do with a batch: append it, say where it is already, or refuse it. */
export type Reception =
  | { readonly kind: "append" }
  | { readonly kind: "duplicate"; readonly offset: number }
  | {
      readonly kind: "refuse";
      readonly code: ErrorCode;
      readonly details: { readonly [name: string]: number };
    };

export class ProducerMemory {
  #nextId = 0;
  readonly #epochs = new Map<string, { readonly producerId: number; readonly producerEpoch: number }>();
  readonly #partitions = new Map<string, { epoch: number; batches: Remembered[] }>();

  init(name: string | undefined, current: number | undefined, epoch: number | undefined) {
    const known = name === undefined ? undefined : this.#epochs.get(name);
    const identity =
      current !== undefined && epoch !== undefined && known === undefined
        ? { producerId: current, producerEpoch: epoch + 1 }
        : known === undefined
          ? { producerId: this.#nextId++, producerEpoch: 0 }
          : { producerId: known.producerId, producerEpoch: known.producerEpoch + 1 };
    this.#epochs.set(name ?? `no name ${identity.producerId}`, identity);
    return { producer_id: identity.producerId, producer_epoch: identity.producerEpoch };
  }

  /** As if nobody had ever been given an id. */
  forget(): void {
    this.#nextId = 0;
    this.#partitions.clear();
  }

  receive(place: string, header: BatchHeader): Reception {
    const { producerId, producerEpoch, baseSequence } = header;
    if (producerId < 0) return { kind: "append" };
    if (producerId >= this.#nextId) return { kind: "refuse", code: "UNKNOWN_PRODUCER_ID", details: {} };
    const newest = [...this.#epochs.values()].find((identity) => identity.producerId === producerId);
    const known = this.#partitions.get(`${place} ${producerId}`);
    const fence = Math.max(newest?.producerEpoch ?? 0, known?.epoch ?? 0);
    if (producerEpoch < fence)
      return { kind: "refuse", code: "PRODUCER_FENCED", details: { current_epoch: fence } };
    if (known === undefined) return { kind: "append" };
    const same = producerEpoch === known.epoch ? known.batches : [];
    const nextSequence = sequenceAfter(baseSequence, header.recordCount);
    const before = same.find(
      (batch) => batch.baseSequence === baseSequence && batch.nextSequence === nextSequence,
    );
    if (before !== undefined && before.content === contentCrc(header))
      return { kind: "duplicate", offset: before.offset };
    const expected = same.at(-1)?.nextSequence ?? 0;
    if (baseSequence === expected) return { kind: "append" };
    return { kind: "refuse", code: "OUT_OF_ORDER_SEQUENCE", details: { expected, actual: baseSequence } };
  }

  /** The batch was appended at `offset`. */
  note(place: string, header: BatchHeader, offset: number): void {
    const { producerId, producerEpoch, baseSequence, recordCount } = header;
    if (producerId < 0) return;
    const key = `${place} ${producerId}`;
    const known = this.#partitions.get(key);
    const batches = known?.epoch === producerEpoch ? known.batches : [];
    const nextSequence = sequenceAfter(baseSequence, recordCount);
    batches.push({ baseSequence, nextSequence, content: contentCrc(header), offset });
    this.#partitions.set(key, { epoch: producerEpoch, batches: batches.slice(-REMEMBERED) });
  }
}
