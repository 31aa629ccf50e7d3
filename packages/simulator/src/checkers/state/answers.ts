/** What the cluster answers to a send, beside its leader's log in that instant. */
import { isGap, SEQUENCES } from "@minikafka/record";
import type { Sequence } from "../../history/history.ts";
import type { Judge } from "../checker.ts";
import { type BatchLook, batchWords } from "./log-mirror.ts";
import { leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";

/** A batch that somebody sent. */
export interface SentBatch {
  readonly sequence: Sequence | null;
  /** How many. */
  readonly records: number;
}

export interface AnsweredBatch extends SentBatch {
  readonly baseOffset: number;
  /** Where only that leader had to have it: in which epoch it was sent. `null`: it is there whoever leads. */
  readonly appendedIn: number | null;
}

/** The partition of an answer. */
export interface AnsweredPlace {
  /** As the answer comes. */
  readonly look: PartitionLook;
  /** Just before each change of who leads or is in sync since time last passed: the answer may have been on its way by then. */
  readonly before: readonly PartitionLook[];
}

/** Of so many last batches of a producer a retry is known (KIP-98). */
const WINDOW = 5;

export const answeredInPlace = {
  name: "answered-in-place",
  promise:
    "what is answered to a send, or to its retry, is where its batch stands in the leader's log, or where compaction has left a gap of it",

  answered({ look, before }: AnsweredPlace, answer: AnsweredBatch, judge: Judge): void {
    const { sequence, records, baseOffset, appendedIn } = answer;
    if (appendedIn !== null && appendedIn !== look.leaderEpoch) return;
    const leader = leaderOf(look);
    if (leader === null || baseOffset < leader.logStartOffset) return;
    judge.asked();
    if ([look, ...before].some((each) => isInPlace(each, answer) || isCompactedAway(each, answer))) return;
    const batch = batchOver(look, baseOffset);
    judge.violated(`a send of ${records} to ${look.place} was answered with ${baseOffset}, where it is not`, [
      `it was sent as ${sequenceWords(sequence)}`,
      batch === undefined ? "nothing is there" : batchWords(leader.brokerId, batch),
      lookWords(look),
    ]);
  },
};

export const retryKnown = {
  name: "retry-known",
  promise: `no batch that is one of the last ${WINDOW} of its producer in the leader's log is refused as out of order`,

  refused(look: PartitionLook, { sequence }: SentBatch, judge: Judge): void {
    const leader = leaderOf(look);
    if (leader === null || sequence === null) return;
    judge.asked();
    const own: BatchLook[] = [];
    for (const batch of leader.mirror.batches)
      if (batch.producerId === sequence.producerId && batch.control === null) own.push(batch);
    const known = own.slice(-WINDOW).find((batch) => isOf(batch, sequence));
    if (known === undefined) return;
    judge.violated(`a retry to ${look.place} is refused as out of order, and is there`, [
      `it was sent as ${sequenceWords(sequence)}`,
      batchWords(leader.brokerId, known),
      lookWords(look),
    ]);
  },
};

/** In the leader's log, what `offset` lies in. */
function batchOver(look: PartitionLook, offset: number): BatchLook | undefined {
  const mirror = leaderOf(look)?.mirror;
  const batch = mirror?.batches[mirror.indexFrom(offset + 1) - 1];
  return batch !== undefined && offset < batch.nextOffset ? batch : undefined;
}

/** Compaction leaves a batch that has lost records its offsets and its sequence. */
function isInPlace(look: PartitionLook, { sequence, records, baseOffset }: AnsweredBatch): boolean {
  const batch = batchOver(look, baseOffset);
  if (batch?.baseOffset !== baseOffset || batch.nextOffset !== baseOffset + records) return false;
  return sequence === null || isOf(batch, sequence);
}

/**
 * Whether nothing but a gap is left where it says. A retry is known by the last batches of its producer, of which compaction may have
 * taken all but the last (KIP-98, KAFKA-5490); where others of the producer stand, it has to lie between them.
 */
function isCompactedAway(look: PartitionLook, { sequence, records, baseOffset }: AnsweredBatch): boolean {
  if (!look.isCompacted) return false;
  for (let offset = baseOffset; offset < baseOffset + records; ) {
    const gap = batchOver(look, offset);
    if (gap === undefined || !isGap(gap)) return false;
    offset = gap.nextOffset;
  }
  const asAnswered = sequence && { ...sequence, baseOffset, nextOffset: baseOffset + records };
  const batches = leaderOf(look)?.mirror.batches ?? [];
  return asAnswered === null || batches.every((batch) => isInOrder(asAnswered, batch));
}

/** What is known of where a batch stands among those of its producer. */
type Sequenced = Sequence & Pick<BatchLook, "baseOffset" | "nextOffset">;

/** Each sequence of a producer's epoch takes an offset of its own, so that there are as many offsets between two batches at least. */
function isInOrder(one: Sequenced, other: BatchLook): boolean {
  const { producerId, producerEpoch, baseSequence, control } = other;
  if (control !== null || baseSequence < 0 || producerId !== one.producerId) return true;
  const [first, second] = one.baseOffset < other.baseOffset ? [one, other] : [other, one];
  if (producerEpoch !== one.producerEpoch) return first.producerEpoch < second.producerEpoch;
  const sequences = (second.baseSequence - first.baseSequence + SEQUENCES) % SEQUENCES;
  return (
    sequences >= first.nextOffset - first.baseOffset && sequences <= second.baseOffset - first.baseOffset
  );
}

function isOf({ producerId, producerEpoch, baseSequence }: BatchLook, sequence: Sequence): boolean {
  return (
    producerId === sequence.producerId &&
    producerEpoch === sequence.producerEpoch &&
    baseSequence === sequence.baseSequence
  );
}

function sequenceWords(sequence: Sequence | null): string {
  if (sequence === null) return "plain";
  const { producerId, producerEpoch, baseSequence } = sequence;
  return `producer ${producerId}:${producerEpoch} from sequence ${baseSequence}`;
}
