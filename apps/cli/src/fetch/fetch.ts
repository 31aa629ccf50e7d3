/** The work of `fetch`: polls, prints, and knows when it is done. */
import type { Client, Consumer, ConsumerRecord } from "@minikafka/client";
import type { Context } from "../context.ts";
import { CliError, type Failure, failureOf } from "../failure.ts";
import type { Isolation } from "../input/arguments.ts";
import { recordLine } from "../output/record-json.ts";
import type { ShownRecord } from "../record.ts";
import { withSession } from "../session.ts";
import type { FetchOptions } from "./fetch-options.ts";
import { type HeldUp, heldUpAmong, stoppedText } from "./held-up.ts";
import { ReadPatience } from "./read-patience.ts";
import { findSpans, isOfOnePartition, type Span } from "./span.ts";
import { UnreadablePartitions } from "./unreadable.ts";

export interface FetchRequest extends Omit<FetchOptions, "format"> {
  readonly topic: string;
  /** For text; with `-J` records are printed as JSON. */
  readonly format: (record: ShownRecord) => Buffer;
}

const POLL_RECORDS_MAX = 500;

/** Throws TIMEOUT when `--timeout` was given and nothing came for so long. */
export function fetchRecords(context: Context, request: FetchRequest): Promise<undefined> {
  return withSession(context, async ({ client }) => {
    const { spans, unreadable } = await findSpans(client.admin(), request, context.interrupted);
    const leftOut = new UnreadablePartitions(context, request.topic);
    for (const { partition, error } of unreadable) leftOut.leaveOut(partition, error, spans.length);
    const consumer = client.consumer({ autoOffsetReset: "error", isolation: request.isolation });
    consumer.assign(spans.map(({ topic, partition, begin }) => ({ topic, partition, offset: begin })));
    const sources = { client, consumer, leftOut, isolation: request.isolation };
    const reading = new Reading(context, sources, request.exit === true ? spans : null);
    let left = request.count ?? Number.POSITIVE_INFINITY;
    let printed = 0;
    while (left > 0 && !(await reading.isDone())) {
      const records = await reading.next(Math.min(left, POLL_RECORDS_MAX));
      await printRecords(context, request.format, records);
      printed += records.length;
      left -= records.length;
    }
    leftOut.requireNone();
    if (left > 0) context.notes.remark(endText(request, printed, await reading.heldUp()));
    if (request.failIfEmpty === true) requireSome(printed, [request.topic]);
    return undefined;
  });
}

function endText({ topic }: FetchRequest, printed: number, held: readonly HeldUp[]): string {
  const records = shownCount(printed);
  return held.length === 0 ? `reached the end of ${topic}: ${records}` : stoppedText(held, records);
}

/** For text, `format`; else JSON. */
export function printRecords(
  context: Context,
  format: FetchRequest["format"],
  records: readonly ConsumerRecord[],
): Promise<void> {
  if (context.settings.json) return context.data.write(records.map((one) => `${recordLine(one)}\n`).join(""));
  return context.data.write(Buffer.concat(records.map((one) => format(one))));
}

/** Throws NOT_FOUND. */
export function requireSome(printed: number, topics: readonly string[]): void {
  if (printed > 0) return;
  throw new CliError("NOT_FOUND", `no record of ${topics.join(", ")} was there to be read`, {
    hint: "without --fail-if-empty that is a success",
  });
}

function shownCount(records: number): string {
  return records === 1 ? "1 record" : `${records} records`;
}

interface Sources {
  readonly client: Client;
  readonly consumer: Consumer;
  /** Those of the partitions that turn out to be damaged. */
  readonly leftOut: UnreadablePartitions;
  readonly isolation: Isolation | undefined;
}

/** Records until the end that was asked for, through what mends itself. */
class Reading {
  readonly #context: Context;
  readonly #client: Client;
  readonly #consumer: Consumer;
  readonly #leftOut: UnreadablePartitions;
  readonly #isolation: Isolation | undefined;
  /** By partition, what is to be read before it is done; `null`: there is no end. */
  readonly #unread: Map<number, Span> | null;
  readonly #patience: ReadPatience;

  constructor(
    context: Context,
    { client, consumer, leftOut, isolation }: Sources,
    ends: readonly Span[] | null,
  ) {
    this.#context = context;
    this.#client = client;
    this.#consumer = consumer;
    this.#leftOut = leftOut;
    this.#isolation = isolation;
    this.#unread = ends === null ? null : new Map(ends.map((span) => [span.partition, span]));
    this.#patience = new ReadPatience(context);
  }

  /** Whether every partition was read to where it ended. Only the position tells: what lies before it need not be a record. */
  async isDone(): Promise<boolean> {
    if (this.#unread === null) return false;
    for (const { topic, partition, begin, end } of this.#unread.values()) {
      // An offset past the end is the broker's to refuse.
      if (begin > end || (await this.#consumer.position({ topic, partition })) < end) continue;
      this.#unread.delete(partition);
      this.#consumer.pause([{ topic, partition }]);
    }
    return this.#unread.size === 0;
  }

  /** Where it ended before all that is there. */
  heldUp(): Promise<readonly HeldUp[]> {
    const { interrupted } = this.#context;
    return heldUpAmong(this.#client.admin(), this.#consumer.assignment, this.#isolation, interrupted);
  }

  /** The next records, none when none came for a while. */
  async next(countMax: number): Promise<readonly ConsumerRecord[]> {
    const records = await this.#poll(countMax);
    const unread = this.#unread;
    if (unread === null) return records;
    return records.filter(({ partition, offset }) => offset < (unread.get(partition)?.end ?? 0));
  }

  async #poll(countMax: number): Promise<readonly ConsumerRecord[]> {
    const { interrupted: signal } = this.#context;
    const timeoutMs = this.#patience.pollMs;
    let records: readonly ConsumerRecord[] = [];
    try {
      records = await this.#consumer.poll({ maxRecords: countMax, timeoutMs, signal });
    } catch (error) {
      const failure = failureOf(error);
      if (signal.aborted) throw error;
      if (failure.retriable) this.#patience.failed(error, failure);
      else this.#leaveOut(error, failure.details);
      return [];
    }
    this.#patience.polled(records.length, this.#client.isConnected);
    return records;
  }

  /** Goes on with the other partitions. Throws `error` when it is not one partition's, or there is no other. */
  #leaveOut(error: unknown, { topic, partition }: Failure["details"]): void {
    if (!isOfOnePartition(error) || typeof topic !== "string" || typeof partition !== "number") throw error;
    const others = this.#consumer.assignment.filter((place) => place.partition !== partition);
    this.#leftOut.leaveOut(partition, error, others.length);
    this.#consumer.assign(others);
    this.#unread?.delete(partition);
  }
}
