/**
 * Asks the broker for what the cursors want next, and gives each its part of the answer.
 *
 * Owns the fetches and lookups under way. Invariants: a cursor has at most one under way; an answer reaches a cursor only if
 * it was not moved since; one partition's error reaches the caller without harm to the others. Never hands records out.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import { isRetriable as isRetriableCode } from "@minikafka/protocol/errors";
import { camelCased } from "../camel-case.ts";
import { type FetchDiagnostics, traced } from "../diagnostics.ts";
import { asMiniKafkaError, hasCode, MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { backoffMs } from "../link/backoff.ts";
import type { Session } from "../session.ts";
import { type TopicPartition, topicPartitionKey } from "../topic-partition.ts";
import { RETRY_BACKOFF } from "../waiting.ts";
import type { ConsumerSettings } from "./consumer-options.ts";
import { FetchedChunk } from "./fetched-chunk.ts";
import { lookUpOffset } from "./offset-lookup.ts";
import type { OffsetSpec, PartitionCursor, Target } from "./partition-cursor.ts";

type PartitionAnswer = ParsedResponse<"fetch_many">["partitions"][number];

/** A cursor as it was when it was asked for. */
interface Asked {
  readonly cursor: PartitionCursor;
  readonly turn: number;
}

export interface FetcherListener {
  /** Records came and are not decoded yet. */
  arrived(): void;
  /** Something came, good or bad. */
  changed(): void;
  /** Whether an error that trying again does not mend will pass all the same. */
  willPass(error: MiniKafkaError): boolean;
  /** Where the consumer's group goes on, by `topicPartitionKey`, as far as it has committed. */
  committed(places: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>>;
}

export class Fetcher {
  readonly #session: Session;
  readonly #settings: ConsumerSettings;
  readonly #enough: AbortSignal;
  readonly #listener: FetcherListener;
  /** What the next poll throws, the oldest first. */
  #errors: MiniKafkaError[] = [];
  #quick = 0;

  constructor(session: Session, settings: ConsumerSettings, enough: AbortSignal, listener: FetcherListener) {
    this.#session = session;
    this.#settings = settings;
    this.#enough = enough;
    this.#listener = listener;
  }

  /** Whether something is under way that the broker answers at once: worth waiting for even when time is up. */
  get hasQuick(): boolean {
    return this.#quick > 0;
  }

  get hasError(): boolean {
    return this.#errors.length > 0;
  }

  /** The next error that trying again won't mend; it is given once. */
  takeError(): MiniKafkaError | null {
    return this.#errors.shift() ?? null;
  }

  /** Asks for all of `cursors` that have nothing under way, letting the broker wait up to `waitMs` for something to come. */
  ask(cursors: readonly PartitionCursor[], waitMs: number): void {
    // Who asks what is there now must not be told what a fetch that still waits for more has not said.
    if (waitMs === 0) for (const cursor of cursors) if (cursor.busy === "waiting") cursor.overtake();
    const nowMs = this.#session.clock.elapsedMs();
    const free = cursors.filter((cursor) => cursor.mayAsk(nowMs));
    for (const cursor of free)
      if (this.#whereToBegin(cursor) === "error") this.#errors.push(noPosition(cursor.place));
    this.begin(free);
    const positioned = free.filter((cursor) => cursor.fetchOffset !== null);
    if (positioned.length > 0) void this.#fetch(positioned.slice(0, LIMITS.partitionsPerFetchMax), waitMs);
  }

  /** Finds the positions that are missing and can be found; what fails is for the next poll. */
  begin(cursors: readonly PartitionCursor[]): void {
    const free = cursors.filter(({ busy }) => busy === "no");
    const resuming = free.filter((cursor) => this.#whereToBegin(cursor) === "committed");
    if (resuming.length > 0) void this.#try(resuming, () => this.#resume(resuming));
    for (const cursor of free) {
      const spec = this.#whereToBegin(cursor);
      if (spec !== null && spec !== "error" && spec !== "committed")
        void this.#try([cursor], () => this.locate(cursor, spec));
    }
  }

  #whereToBegin(cursor: PartitionCursor): Target | "error" | null {
    if (cursor.position !== null) return null;
    const { autoOffsetReset } = this.#settings;
    if (cursor.target !== null) return cursor.target;
    return autoOffsetReset;
  }

  /** Finds the position of a cursor that has none. Fails with NO_POSITION when nothing says where to begin. */
  async locateLost(cursor: PartitionCursor): Promise<void> {
    const spec = this.#whereToBegin(cursor);
    if (spec === "error") throw noPosition(cursor.place);
    if (spec === "committed") await this.#resume([cursor]);
    else if (spec !== null) await this.locate(cursor, spec);
  }

  /** Moves each cursor to where its group goes on; where nothing is committed, autoOffsetReset says where to begin. */
  async #resume(cursors: readonly PartitionCursor[]): Promise<void> {
    const asked = cursors.map((cursor) => ({ cursor, turn: cursor.turn }));
    for (const cursor of cursors) cursor.busy = "quick";
    this.#quick += 1;
    try {
      const offsets = await this.#listener.committed(cursors.map(({ place }) => place));
      for (const { cursor } of asked.filter(isCurrent)) {
        const offset = offsets.get(topicPartitionKey(cursor.place));
        const from = offset ?? cursor.origin;
        if (from === null) cursor.lose(null);
        else cursor.moveTo(from);
      }
      this.begin(cursors);
    } finally {
      for (const { cursor } of asked.filter(isCurrent)) cursor.busy = "no";
      this.#quick -= 1;
      this.#listener.changed();
    }
  }

  /** Moves the cursor to where `spec` is, unless it is moved elsewhere meanwhile. */
  async locate(cursor: PartitionCursor, spec: OffsetSpec): Promise<void> {
    const asked = { cursor, turn: cursor.turn };
    const isReset = cursor.position === null && cursor.target === null;
    cursor.busy = "quick";
    this.#quick += 1;
    try {
      const { isolation } = this.#settings;
      const offset = await lookUpOffset(this.#session, cursor.place, spec, {
        isolation,
        enough: this.#enough,
      });
      if (!isCurrent(asked)) return;
      cursor.moveTo(offset);
      if (isReset) cursor.origin = offset;
    } finally {
      if (isCurrent(asked)) cursor.busy = "no";
      this.#quick -= 1;
      this.#listener.changed();
    }
  }

  /** Never rejects, and counts as quick until what it failed with is there for the next poll. */
  async #try(cursors: readonly PartitionCursor[], work: () => Promise<void>): Promise<void> {
    const asked = cursors.map((cursor) => ({ cursor, turn: cursor.turn }));
    this.#quick += 1;
    try {
      await work();
    } catch (error) {
      const failure = asMiniKafkaError(error);
      const current = asked.filter(isCurrent);
      // One request, so one error, unless each is to be tried again by itself.
      for (const { cursor } of failure.retriable ? current : current.slice(0, 1))
        this.#failed(cursor, failure);
    } finally {
      this.#quick -= 1;
      this.#listener.changed();
    }
  }

  async #fetch(cursors: readonly PartitionCursor[], waitMs: number): Promise<void> {
    const asked = cursors.map((cursor) => ({ cursor, turn: cursor.turn }));
    const isQuick = waitMs === 0;
    for (const cursor of cursors) cursor.busy = isQuick ? "quick" : "waiting";
    if (isQuick) this.#quick += 1;
    let hasArrived = false;
    try {
      this.#receive(asked, await this.#request(cursors, waitMs));
      hasArrived = !this.hasError;
    } catch (error) {
      const failure = asMiniKafkaError(error);
      if (!failure.retriable) this.#errors.push(failure);
      else for (const each of asked) if (isCurrent(each)) this.#failed(each.cursor, failure);
    } finally {
      if (isQuick) this.#quick -= 1;
      for (const each of asked) if (isCurrent(each)) each.cursor.busy = "no";
      if (hasArrived) this.#listener.arrived();
      this.#listener.changed();
    }
  }

  #request(cursors: readonly PartitionCursor[], maxWaitMs: number): Promise<readonly PartitionAnswer[]> {
    const { isolation, fetchBytes } = this.#settings;
    const fields = {
      partitions: cursors.map(({ place, topicId, fetchOffset }) => ({
        topic: place.topic,
        partition: place.partition,
        offset: fetchOffset ?? 0,
        ...(topicId !== null && { topic_id: topicId }),
      })),
      encoding: "batch",
      isolation,
      max_bytes: fetchBytes,
      min_bytes: maxWaitMs === 0 ? 0 : 1,
      max_wait_ms: maxWaitMs,
    } as const;
    const asked = () =>
      fields.partitions.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    return traced(
      "minikafka:fetch",
      (): FetchDiagnostics => ({ partitions: asked(), isolation, maxWaitMs, bytes: undefined }),
      async (published) => {
        const { partitions } = await this.#session.call("fetch_many", fields);
        if (published !== null) Object.assign(published, { bytes: bytesIn(partitions) });
        return partitions;
      },
    );
  }

  #receive(asked: readonly Asked[], answers: readonly PartitionAnswer[]): void {
    const byPlace = new Map(asked.map((each) => [topicPartitionKey(each.cursor.place), each]));
    for (const answer of answers) {
      const each = byPlace.get(topicPartitionKey(answer));
      if (each === undefined || !isCurrent(each)) continue;
      if ("code" in answer) this.#failed(each.cursor, partitionError(answer));
      else this.#arrived(each.cursor, answer);
    }
  }

  #arrived(cursor: PartitionCursor, answer: Exclude<PartitionAnswer, { readonly code: string }>): void {
    const bytes = answer.batches_b64 ?? Buffer.alloc(0);
    const isCommittedOnly = this.#settings.isolation === "read_committed";
    const aborted = isCommittedOnly ? camelCased(answer.aborted_transactions ?? []) : [];
    const visibleEnd = isCommittedOnly ? answer.last_stable_offset : answer.high_watermark;
    const { deserialize } = this.#settings;
    const chunk = new FetchedChunk(cursor.place, bytes, answer.next_offset, aborted, deserialize);
    cursor.receive(chunk, visibleEnd);
  }

  /** One partition's error: mended here when that is agreed upon, kept for the caller otherwise. */
  #failed(cursor: PartitionCursor, error: MiniKafkaError): void {
    // What was fetched before is still good; the error comes again when it is used up.
    if (cursor.hasChunks) return;
    if (hasCode(error, "OFFSET_OUT_OF_RANGE") && this.#settings.autoOffsetReset !== "error") {
      cursor.lose(null);
      return;
    }
    if (!error.retriable && !this.#listener.willPass(error)) {
      this.#errors.push(error);
      return;
    }
    const { clock, random } = this.#session;
    cursor.backOff(error, clock.elapsedMs(), (failures) => backoffMs(failures, RETRY_BACKOFF, random));
  }
}

function bytesIn(answers: readonly PartitionAnswer[]): number {
  return answers.reduce(
    (bytes, answer) => bytes + ("code" in answer ? 0 : (answer.batches_b64?.length ?? 0)),
    0,
  );
}

function isCurrent({ cursor, turn }: Asked): boolean {
  return cursor.turn === turn;
}

function partitionError(answer: Extract<PartitionAnswer, { readonly code: string }>): MiniKafkaError {
  const { topic, partition, code, message } = answer;
  return new MiniKafkaError(code, message, {
    details: { ...answer.details, topic, partition },
    retriable: isRetriableCode(code),
  });
}

export function noPosition({ topic, partition }: TopicPartition): MiniKafkaError {
  const message = `${topic}/${partition} has no position, and autoOffsetReset is error: seek first`;
  return new MiniKafkaError("NO_POSITION", message, { details: { topic, partition } });
}
