/** The lines of a transfer's journal as they stand in the file, and whether a line is one. */
import type { Span } from "./span.ts";

export const JOURNAL_VERSION = 1;

export interface JournalHead {
  readonly minikafka_transfer: typeof JOURNAL_VERSION;
  readonly source: TopicIdentity;
  readonly target: TopicIdentity;
}

export interface TopicIdentity {
  readonly cluster_id: string;
  readonly topic: string;
  readonly topic_id: string;
}

/** One batch, before it is sent. With who sends it, so that the same batch may be sent once more without being doubled (KIP-98). */
export interface SentBatch extends Span {
  readonly partition: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly sequence: number;
}

/** Where copying began, and what was copied up to the last run. */
export interface StartedPartition {
  readonly partition: number;
  readonly targetStart: number;
  readonly spans: readonly Span[];
}

export type JournalLine =
  | ({ readonly kind: "started" } & StartedPartition)
  | ({ readonly kind: "sent" } & SentBatch);

/** Source, its end, target and count, in this order. */
type WrittenSpan = readonly [number, number, number, number];

/** As it stands in the file. */
export type WrittenLine =
  | { readonly partition: number; readonly target_start: number; readonly copied: readonly WrittenSpan[] }
  | {
      readonly partition: number;
      readonly sending: WrittenSpan;
      readonly producer_id: string;
      readonly producer_epoch: number;
      readonly sequence: number;
    };

export function written(line: JournalLine): WrittenLine {
  const { partition } = line;
  if (line.kind === "started")
    return { partition, target_start: line.targetStart, copied: line.spans.map(writtenSpan) };
  const producer = { producer_id: line.producerId, producer_epoch: line.producerEpoch };
  return { partition, sending: writtenSpan(line), ...producer, sequence: line.sequence };
}

function writtenSpan({ source, sourceEnd, target, count }: Span): WrittenSpan {
  return [source, sourceEnd, target, count];
}

/** Throws RangeError for what is no first line of a journal. */
export function readHead(text: string): JournalHead {
  const head = fieldsOf(JSON.parse(text), "the first line");
  if (head.minikafka_transfer !== JOURNAL_VERSION)
    throw new RangeError(
      `minikafka_transfer is ${seen(head.minikafka_transfer)}; expected ${JOURNAL_VERSION}`,
    );
  const source = identityOf(head.source, "source");
  return { minikafka_transfer: JOURNAL_VERSION, source, target: identityOf(head.target, "target") };
}

function identityOf(value: unknown, name: string): TopicIdentity {
  const fields = fieldsOf(value, name);
  const of = (field: keyof TopicIdentity) => textOf(fields[field], `${name}.${field}`, /./);
  return { cluster_id: of("cluster_id"), topic: of("topic"), topic_id: of("topic_id") };
}

/** Throws RangeError for what is no later line of a journal. */
export function readLine(text: string): JournalLine {
  const line = fieldsOf(JSON.parse(text), "the line");
  const partition = numberOf(line.partition, "partition", INT32_MAX);
  if ("copied" in line) {
    const { copied } = line;
    if (!Array.isArray(copied)) throw wrong("copied", "a list", copied);
    const spans = copied.map((span: unknown) => spanOf(span, "copied"));
    return { kind: "started", partition, targetStart: numberOf(line.target_start, "target_start"), spans };
  }
  const span = spanOf(line.sending, "sending");
  return {
    ...{ kind: "sent", partition, ...span },
    producerId: producerIdOf(line.producer_id),
    producerEpoch: numberOf(line.producer_epoch, "producer_epoch", INT16_MAX),
    sequence: numberOf(line.sequence, "sequence", INT32_MAX),
  };
}

/** As wide as Kafka's batches have them. */
const INT16_MAX = 2 ** 15 - 1;
const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;

function producerIdOf(value: unknown): string {
  const text = textOf(value, "producer_id", /^\d{1,19}$/);
  if (BigInt(text) > INT64_MAX) throw wrong("producer_id", `a whole number up to ${INT64_MAX}`, value);
  return text;
}

const SPAN_NUMBERS = 4;

function spanOf(value: unknown, name: string): Span {
  if (!Array.isArray(value) || value.length !== SPAN_NUMBERS) throw wrong(name, "four numbers", value);
  const [source, sourceEnd, target, count] = value.map((each) => numberOf(each, name)) as [
    ...[number, number, number, number],
  ];
  if (count < 1 || count > sourceEnd - source)
    throw wrong(name, "as many offsets of the source as records, or more", value);
  return { source, sourceEnd, target, count };
}

/** All that the lines have, of either kind. */
type LineField =
  | ("minikafka_transfer" | "source" | "target" | keyof TopicIdentity)
  | ("partition" | "target_start" | "copied" | "sending" | "producer_id" | "producer_epoch" | "sequence");

type Fields = { readonly [Field in LineField]?: unknown };

function fieldsOf(value: unknown, name: string): Fields {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw wrong(name, "an object", value);
  return value as Fields;
}

function numberOf(value: unknown, name: string, max = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw wrong(name, "a whole number from 0", value);
  if ((value as number) > max) throw wrong(name, `a whole number up to ${max}`, value);
  return value as number;
}

function textOf(value: unknown, name: string, form: RegExp): string {
  if (typeof value !== "string" || !form.test(value)) throw wrong(name, `text like ${form.source}`, value);
  return value;
}

function wrong(name: string, expected: string, value: unknown): RangeError {
  return new RangeError(`${name} is ${seen(value)}; expected ${expected}`);
}

const SEEN_MAX = 80;

function seen(value: unknown): string {
  return (JSON.stringify(value) ?? "missing").slice(0, SEEN_MAX);
}
