/**
 * Transactions as a coordinator keeps them, as far as a scripted broker needs it (KIP-98, KIP-890): who has one open, which
 * partitions and offsets are a part of it, which were aborted. Each ends at once, with all its markers.
 */
import type { ErrorCode, ParsedRequest } from "@minikafka/protocol";
import { encodeMarker } from "@minikafka/record";
import type { AbortedRange } from "../../src/consumer/aborted-ranges.ts";
import type { ProducerIdentity } from "../../src/producer/lane-sequences.ts";
import { isRequest, type SeenRequest } from "./scripted-peer.ts";

interface Open {
  /** The first offset in each partition, by "topic/partition". */
  readonly firstOffsets: Map<string, number>;
  readonly offsets: ParsedRequest<"send_offsets">[];
}

interface Known {
  identity: ProducerIdentity;
  /** Before the last end. */
  previous: ProducerIdentity | null;
  open: Open | null;
  lastEnd: { readonly committed: boolean; readonly isBroker: boolean } | null;
}

/** What a transaction does to the broker that has it. */
export interface TransactionWorld {
  /** The identity of a name, or the next one. */
  nextIdentity(name: string): ProducerIdentity;
  /** Appends a marker and says where. */
  appendMarker(place: string, frame: Buffer): number;
  checkOffsets(fields: ParsedRequest<"send_offsets">): ErrorCode | null;
  commitOffsets(fields: ParsedRequest<"send_offsets">): void;
}

type OfTransaction = Pick<
  ParsedRequest<"end_transaction">,
  "transactional_id" | "producer_id" | "producer_epoch"
>;

export class TransactionModel {
  readonly #world: TransactionWorld;
  readonly #known = new Map<string, Known>();
  readonly #aborted = new Map<string, AbortedRange[]>();
  /** Every end that took effect, in order. */
  readonly ends: string[] = [];

  constructor(world: TransactionWorld) {
    this.#world = world;
  }

  /** Aborts it, as the broker does when its time is over. */
  timeOut(transactionalId: string): void {
    const known = this.#known.get(transactionalId);
    if (known?.open) this.#end(transactionalId, known, { committed: false, isBroker: true });
  }

  /** As if it had not been used for a week. */
  forget(transactionalId: string): void {
    this.#known.delete(transactionalId);
  }

  identity(transactionalId: string): ProducerIdentity | null {
    return this.#known.get(transactionalId)?.identity ?? null;
  }

  isOpen(transactionalId: string): boolean {
    return (this.#known.get(transactionalId)?.open ?? null) !== null;
  }

  /** `null` when nothing is open in the partition. */
  firstUnstable(place: string): number | null {
    const firsts = [...this.#known.values()].flatMap(({ open }) => open?.firstOffsets.get(place) ?? []);
    return firsts.length === 0 ? null : Math.min(...firsts);
  }

  aborted(place: string, from: number, end: number) {
    return (this.#aborted.get(place) ?? [])
      .filter(({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < end)
      .sort((one, other) => one.firstOffset - other.firstOffset)
      .map((one) => ({
        producer_id: one.producerId,
        first_offset: one.firstOffset,
        last_offset: one.lastOffset,
      }));
  }

  isUnstable(groupId: string, place: string): boolean {
    const staged = [...this.#known.values()].flatMap(({ open }) => open?.offsets ?? []);
    return staged.some(
      ({ group_id, offsets }) =>
        group_id === groupId && offsets.some(({ topic, partition }) => `${topic}/${partition}` === place),
    );
  }

  /** Why a transactional batch is refused. */
  refusal(transactionalId: string, identity: ProducerIdentity): ErrorCode | null {
    const fields = {
      transactional_id: transactionalId,
      producer_id: identity.producerId,
      producer_epoch: identity.producerEpoch,
    };
    const known = this.#judge(fields);
    return typeof known === "string" ? known : known.open === null ? "INVALID_TRANSACTION_STATE" : null;
  }

  /** A batch of the open transaction was appended at `offset`. */
  note(transactionalId: string, place: string, offset: number): void {
    const first = this.#known.get(transactionalId)?.open?.firstOffsets;
    if (first?.has(place) === false) first.set(place, offset);
  }

  /** Answers requests of transactions; false for any other. */
  handle(request: SeenRequest): boolean {
    if (isRequest(request, "init_producer") && request.fields.transactional_id !== undefined)
      this.answerInit(request);
    else if (isRequest(request, "begin_transaction")) this.answerBegin(request);
    else if (isRequest(request, "send_offsets")) this.answerOffsets(request);
    else if (isRequest(request, "end_transaction")) this.answerEnd(request);
    else return false;
    return true;
  }

  answerInit(request: SeenRequest<"init_producer">): void {
    const { transactional_id: id = "", producer_id, producer_epoch } = request.fields;
    const known = this.#known.get(id);
    if (producer_id !== undefined && producer_epoch !== undefined) {
      const judged = this.#judge({ transactional_id: id, producer_id, producer_epoch });
      const mayGoOn = judged === "TRANSACTION_ABORTED";
      if (typeof judged === "string" && !mayGoOn) {
        request.refuse(judged);
        return;
      }
    }
    if (known?.open) this.#end(id, known, { committed: false, isBroker: false });
    const identity = this.#world.nextIdentity(id);
    this.#known.set(id, { identity, previous: null, open: null, lastEnd: null });
    request.answer({ producer_id: identity.producerId, producer_epoch: identity.producerEpoch });
  }

  answerBegin(request: SeenRequest<"begin_transaction">): void {
    const known = this.#judge(request.fields);
    if (typeof known === "string") request.refuse(known);
    else if (known.open !== null) request.refuse("INVALID_TRANSACTION_STATE");
    else {
      known.open = { firstOffsets: new Map(), offsets: [] };
      request.answer({});
    }
  }

  answerOffsets(request: SeenRequest<"send_offsets">): void {
    const known = this.#judge(request.fields);
    if (typeof known === "string") request.refuse(known);
    else if (known.open === null) request.refuse("INVALID_TRANSACTION_STATE");
    else {
      const refusal = this.#world.checkOffsets(request.fields);
      if (refusal !== null) {
        request.refuse(refusal);
        return;
      }
      known.open.offsets.push(request.fields);
      request.answer({});
    }
  }

  answerEnd(request: SeenRequest<"end_transaction">): void {
    const refusal = this.takeEnd(request.fields);
    const identity = this.identity(request.fields.transactional_id);
    if (refusal !== null || identity === null) request.refuse(refusal ?? "UNKNOWN_TRANSACTIONAL_ID");
    else request.answer({ producer_id: identity.producerId, producer_epoch: identity.producerEpoch });
  }

  /** What the request does, whether its answer arrives or not; the same again does nothing. */
  takeEnd(fields: ParsedRequest<"end_transaction">): ErrorCode | null {
    const known = this.#known.get(fields.transactional_id);
    const isRepeated = known?.previous !== null && isOf(known?.previous, fields);
    if (isRepeated && known?.lastEnd?.isBroker === false)
      return known.lastEnd.committed === fields.commit ? null : "INVALID_TRANSACTION_STATE";
    const judged = this.#judge(fields);
    if (typeof judged === "string") return judged;
    if (judged.open === null) return "INVALID_TRANSACTION_STATE";
    this.#end(fields.transactional_id, judged, { committed: fields.commit, isBroker: false });
    return null;
  }

  #judge(fields: OfTransaction): Known | ErrorCode {
    const known = this.#known.get(fields.transactional_id);
    if (known === undefined) return "UNKNOWN_TRANSACTIONAL_ID";
    if (isOf(known.identity, fields)) return known;
    return isOf(known.previous, fields) && known.lastEnd?.isBroker === true
      ? "TRANSACTION_ABORTED"
      : "PRODUCER_FENCED";
  }

  #end(transactionalId: string, known: Known, end: NonNullable<Known["lastEnd"]>): void {
    const { open, identity: previous } = known;
    if (open === null) throw new Error("nothing is open");
    const identity = this.#world.nextIdentity(transactionalId);
    for (const [place, firstOffset] of open.firstOffsets) {
      const control = end.committed ? "commit" : "abort";
      const marker = encodeMarker({ ...identity, control, firstOffset, coordinatorEpoch: 0, timestampMs: 0 });
      const lastOffset = this.#world.appendMarker(place, marker);
      const range = { producerId: previous.producerId, firstOffset, lastOffset };
      if (!end.committed) this.#aborted.set(place, [...(this.#aborted.get(place) ?? []), range]);
    }
    if (end.committed) for (const fields of open.offsets) this.#world.commitOffsets(fields);
    Object.assign(known, { identity, previous, open: null, lastEnd: end });
    this.ends.push(end.committed ? "commit" : "abort");
  }
}

function isOf(identity: ProducerIdentity | null | undefined, fields: OfTransaction): boolean {
  return identity?.producerId === fields.producer_id && identity.producerEpoch === fields.producer_epoch;
}
