/**
 * Copies one partition: reads what is committed, writes it in order, one batch at a time.
 *
 * Owns how far that partition's copy has come. Always: a batch is in the journal before it is sent, and the next one is not
 * sent before the answer for it came; so the copy never has a record twice or lacks one, wherever this ends. The copy's offsets are
 * those that were expected, or it stops: then somebody else writes there. What was read is written, and a part is called copied, only once
 * both topics were found to be the same ones after it.
 */
import type { Codec, StoredRecord } from "@minikafka/record";
import { CliError } from "../failure.ts";
import type { Place } from "../kafka-cluster/cluster-address.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { boundsOf, endOf } from "../kafka-cluster/offsets.ts";
import { type Chunk, type ProducerIdentity, readChunk, writeBatch } from "../kafka-cluster/records.ts";
import { batchesOf, recordBytes, sequenceAfter } from "./batches.ts";
import type { JournalFile } from "./journal.ts";
import type { SentBatch } from "./journal-form.ts";
import { differs, spanOf } from "./resumption.ts";
import type { SameTopics } from "./same-topics.ts";
import { addSpan, type CopiedPartition, type Span, targetEnd } from "./span.ts";

export interface CopyWorld {
  readonly source: KafkaLink;
  readonly target: KafkaLink;
  readonly sourceTopic: string;
  readonly targetTopic: string;
  readonly topics: Pick<SameTopics, "requireSource" | "requireTarget" | "requireBoth">;
  readonly journal: Pick<JournalFile, "append">;
  readonly producer: ProducerIdentity;
  readonly compression: Codec;
  readonly interrupted: AbortSignal;
  /** So many records, of so many bytes, have arrived; and so many offsets were passed. */
  readonly onCopied: (records: number, bytes: number, offsets: number) => void;
  readonly remark: (text: string) => void;
}

/** How long a read waits for more; nothing is expected to come later than that below the end. */
const READ_WAIT_MS = 500;
const EMPTY_READS_MAX = 10;
/** The batch alone is refused, and smaller ones may not be. */
const TOO_LARGE: readonly unknown[] = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"];
/** That cluster has forgotten who sent it, or never knew. */
const FORGOTTEN: readonly unknown[] = [
  ...["OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"],
  ...["INVALID_PRODUCER_EPOCH", "INVALID_PRODUCER_ID_MAPPING"],
];

/** Where a run begins. */
export interface BegunPartition {
  /** Where the source's log began. */
  readonly sourceStart: number;
  readonly targetStart: number;
  readonly spans: Span[];
  readonly missing: SentBatch | null;
}

export class PartitionCopy implements CopiedPartition {
  readonly partition: number;
  readonly targetStart: number;
  readonly spans: Span[];
  readonly #world: CopyWorld;
  #sequence = 0;
  #missing: SentBatch | null;
  sourceNext: number;
  /** In this run. */
  records = 0;

  constructor(world: CopyWorld, partition: number, begun: BegunPartition) {
    this.#world = world;
    this.partition = partition;
    this.targetStart = begun.targetStart;
    this.spans = begun.spans;
    this.#missing = begun.missing;
    this.sourceNext = begun.spans.at(-1)?.sourceEnd ?? begun.sourceStart;
  }

  get targetNext(): number {
    const last = this.spans.at(-1);
    return last === undefined ? this.targetStart : targetEnd(last);
  }

  /** Copies what lies before `end`, and perhaps more. Resolves early, between two batches, when the user has interrupted, and on `stopped`. */
  async copyTo(end: number, stopped: AbortSignal): Promise<void> {
    const isStopped = () => stopped.aborted || this.#world.interrupted.aborted;
    if (isStopped()) return;
    await this.#sendMissing();
    let ahead: Promise<Chunk | "gone"> | null = null;
    let emptyReads = 0;
    while (this.sourceNext < end && !isStopped()) {
      const chunk = await (ahead ?? this.#read());
      ahead = null;
      if (chunk === "gone") {
        await this.#skipGone();
        continue;
      }
      emptyReads = chunk.nextOffset > this.sourceNext ? 0 : emptyReads + 1;
      if (emptyReads > EMPTY_READS_MAX) throw this.#nothingComes(end);
      if (chunk.nextOffset < end) {
        ahead = this.#read(chunk.nextOffset);
        // It is looked at in its turn, or not at all.
        ahead.catch(() => undefined);
      }
      await this.#take(chunk, isStopped);
    }
    if (!isStopped()) await this.#world.topics.requireBoth(this.partition);
  }

  get #place(): Place {
    return { topic: this.#world.sourceTopic, partition: this.partition };
  }

  get #targetPlace(): Place {
    return { topic: this.#world.targetTopic, partition: this.partition };
  }

  async #read(offset = this.sourceNext): Promise<Chunk | "gone"> {
    const chunk = await readChunk(this.#world.source, this.#place, offset, READ_WAIT_MS);
    await this.#world.topics.requireSource(this.partition);
    return chunk;
  }

  async #take(chunk: Chunk, isStopped: () => boolean): Promise<void> {
    for (const records of batchesOf(chunk.records)) {
      if (isStopped()) return;
      await this.#send(records);
    }
    this.#world.onCopied(0, 0, chunk.nextOffset - this.sourceNext);
    this.sourceNext = chunk.nextOffset;
  }

  async #send(records: readonly StoredRecord[]): Promise<void> {
    const [first] = records;
    const last = records.at(-1);
    if (first === undefined || last === undefined) return;
    const span = {
      source: first.offset,
      sourceEnd: last.offset + 1,
      target: this.targetNext,
      count: records.length,
    };
    const { producer } = this.#world;
    const identity = { producerId: String(producer.producerId), producerEpoch: producer.producerEpoch };
    const sent = { partition: this.partition, ...span, ...identity, sequence: this.#sequence };
    // Both at once: the look costs no time beside the disk's.
    await Promise.all([
      this.#world.journal.append({ kind: "sent", ...sent }),
      this.#world.topics.requireTarget(this.partition),
    ]);
    try {
      await this.#write(records, sent);
    } catch (error) {
      if (!isRefusedFor(error, TOO_LARGE) || records.length === 1) throw error;
      const middle = Math.ceil(records.length / 2);
      await this.#send(records.slice(0, middle));
      await this.#send(records.slice(middle));
      return;
    }
    this.#sequence = sequenceAfter(this.#sequence, records.length);
    this.#arrived(span, records);
  }

  async #write(records: readonly StoredRecord[], sent: SentBatch): Promise<void> {
    const { target, compression } = this.#world;
    const { producerId, producerEpoch, sequence, target: expected } = sent;
    const sender = { producerId: BigInt(producerId), producerEpoch, sequence };
    const batch = { ...this.#targetPlace, records, sender, compression };
    const offset = await writeBatch(target, batch);
    const where = `${this.#world.targetTopic} [${this.partition}] at ${target.where}`;
    if (offset === "known") {
      const end = await endOf(target, this.#targetPlace);
      if (end !== expected + records.length) throw differs(where, [expected + records.length], end);
    } else if (offset !== expected) throw differs(where, [expected], offset);
  }

  #arrived(span: Span, records: readonly StoredRecord[]): void {
    addSpan(this.spans, span);
    this.records += span.count;
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    this.#world.onCopied(span.count, bytes, span.sourceEnd - Math.max(this.sourceNext, span.source));
    this.sourceNext = Math.max(this.sourceNext, span.sourceEnd);
  }

  /** What an earlier run had sent last, and has not arrived: as it was, so that it arrives once if it is still on its way. */
  async #sendMissing(): Promise<void> {
    const missing = this.#missing;
    if (missing === null) return;
    const records = await this.recordsWithin(missing);
    if (records.length === missing.count) {
      try {
        await this.#write(records, missing);
        this.#arrived(spanOf(missing), records);
      } catch (error) {
        if (!isRefusedFor(error, [...FORGOTTEN, ...TOO_LARGE])) throw error;
      }
    }
    // Otherwise the source has lost some of them since; what is left is copied as any other.
    this.#missing = null;
  }

  /** What the source has now of a span. */
  async recordsWithin({ source, sourceEnd }: Span): Promise<StoredRecord[]> {
    const found: StoredRecord[] = [];
    for (let at = source; at < sourceEnd; ) {
      const chunk = await this.#read(at);
      if (chunk === "gone") break;
      found.push(...chunk.records.filter(({ offset }) => offset < sourceEnd));
      if (chunk.nextOffset === at) break;
      at = chunk.nextOffset;
    }
    return found;
  }

  async #skipGone(): Promise<void> {
    const { start, end } = await boundsOf(this.#world.source, this.#place);
    const where = `${this.#world.sourceTopic} [${this.partition}] at ${this.#world.source.where}`;
    if (start <= this.sourceNext) {
      const message = `${where} ends at ${end}, before ${this.sourceNext}, up to which it was copied: it has lost records`;
      throw new CliError("COPY_DIFFERS", message, {
        hint: "the copy has records that its source has not: keep the one that is right, and copy the other anew",
      });
    }
    if (this.spans.length > 0)
      this.#world.remark(
        `${where}: offsets ${this.sourceNext} to ${start - 1} are gone, deleted before they were copied`,
      );
    this.#world.onCopied(0, 0, start - this.sourceNext);
    this.sourceNext = start;
  }

  #nothingComes(end: number): CliError {
    const { sourceTopic, source } = this.#world;
    const message = `${sourceTopic} [${this.partition}] at ${source.where}: nothing comes from ${this.sourceNext} on, though it ends at ${end}`;
    return new CliError("TIMEOUT", message, { hint: "run the same command again to go on" });
  }
}

function isRefusedFor(error: unknown, names: readonly unknown[]): boolean {
  return error instanceof CliError && names.includes(error.details.kafka_error);
}
