/** Where a copy stands when a run begins: from the journal, and from where the copy's log ends. Pure. */
import { CliError } from "../failure.ts";
import type { JournalLine, SentBatch } from "./journal-form.ts";
import { addSpan, type Span, targetEnd } from "./span.ts";

/** One partition by the journal, its last batch apart: that one may or may not have arrived. */
export interface JournaledPartition {
  readonly targetStart: number;
  readonly spans: Span[];
  readonly last: SentBatch | null;
}

export function journaled(lines: readonly JournalLine[], partition: number): JournaledPartition | null {
  let targetStart: number | null = null;
  const spans: Span[] = [];
  let last: SentBatch | null = null;
  for (const line of lines) {
    if (line.partition !== partition) continue;
    if (line.kind === "started") {
      ({ targetStart } = line);
      for (const span of line.spans) addSpan(spans, span);
    } else {
      // Who sent another one knew that the one before had arrived; one that was sent again has the same place.
      if (last !== null && last.target !== line.target) addSpan(spans, spanOf(last));
      last = line;
    }
  }
  return targetStart === null ? null : { targetStart, spans, last };
}

export function spanOf({ source, sourceEnd, target, count }: SentBatch): Span {
  return { source, sourceEnd, target, count };
}

export type Resumption =
  /** All that was sent is there; by the offsets alone, of `unproven`: whose it is, is to be looked at. */
  | { readonly kind: "arrived"; readonly spans: Span[]; readonly unproven: SentBatch | null }
  /** The last batch is not there: it is sent again, as it was. */
  | { readonly kind: "missing"; readonly spans: Span[]; readonly batch: SentBatch };

/**
 * What is there of the last batch, by the offset `end` at which the copy ends. A batch arrives as a whole or not at all, so there are just
 * two ends that a copy can have to which nobody else writes. Throws COPY_DIFFERS for any other one. Somebody else may have written as many
 * records as the last batch has: {@link requireOwn} tells.
 */
export function resumption(where: string, journal: JournaledPartition, end: number): Resumption {
  const { spans, last, targetStart } = journal;
  const before = spans.at(-1);
  const sure = before === undefined ? targetStart : targetEnd(before);
  if (last === null) {
    if (end === sure) return { kind: "arrived", spans, unproven: null };
    throw differs(where, [sure], end);
  }
  if (end === targetEnd(last)) {
    const all = [...spans];
    addSpan(all, spanOf(last));
    return { kind: "arrived", spans: all, unproven: last };
  }
  if (end === last.target) return { kind: "missing", spans, batch: last };
  throw differs(where, [last.target, targetEnd(last)], end);
}

/** By what the cluster tells batches of several senders apart (KIP-98). */
export interface FoundBatch {
  readonly baseOffset: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
}

const NO_PRODUCER = "-1";

/**
 * That the batch which stands where `sent` would be is that one. `null`, one behind it, and a gap that compaction has left all mean that what stood there was
 * removed, so that nothing can be told any more. Compaction and a leader that packs anew leave the sender and the sequence. Throws COPY_DIFFERS.
 */
export function requireOwn(where: string, sent: SentBatch, found: FoundBatch | null): void {
  if (found === null || found.baseOffset >= targetEnd(sent)) return;
  if (found.recordCount === 0 && found.producerId === NO_PRODUCER) return;
  const isOwn =
    found.producerId === sent.producerId &&
    found.producerEpoch === sent.producerEpoch &&
    found.baseSequence === sent.sequence;
  if (isOwn) return;
  const seen = senderText(found.producerId, found.producerEpoch, found.baseSequence);
  const expected = senderText(sent.producerId, sent.producerEpoch, sent.sequence);
  throw new CliError(
    "COPY_DIFFERS",
    `${where} has a batch at offset ${sent.target} of ${seen}; expected ${expected}: somebody else has written to it`,
    { hint: ANEW, details: { offset: sent.target } },
  );
}

function senderText(producerId: string, epoch: number, sequence: number): string {
  if (producerId === NO_PRODUCER) return "a producer without an id";
  return `producer ${producerId}, epoch ${epoch}, sequence ${sequence}`;
}

const ANEW =
  "nothing else may write to a copy before it is whole; delete the topic there and the state of this transfer, and begin anew, or copy to another name with --as";

/** What is there is not what this transfer has written. */
export function differs(where: string, expected: readonly number[], seen: number): CliError {
  const what =
    seen < Math.min(...expected) ? "records of the copy are gone" : "somebody else has written to it";
  return new CliError(
    "COPY_DIFFERS",
    `${where} ends at ${seen}; expected ${expected.join(" or ")}: ${what}`,
    { hint: ANEW, details: { expected, seen } },
  );
}
