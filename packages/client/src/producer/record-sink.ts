/**
 * A stream to write records into: `producer.writable()`, `tx.writable()`.
 *
 * Owns how many of its records are not acknowledged. Invariants: while there are as many as there may be, or the producer's buffer is
 * full, a write waits, and so does whoever pipes into the stream; once one of them has failed the stream has, with the same error; a
 * close ends when all are acknowledged. An abort undoes nothing: what was accepted goes its way, and nobody hears of it.
 */
import type { UnderlyingSink, WritableStreamDefaultController } from "node:stream/web";
import { onAbort } from "../abort.ts";
import { hasCode, type MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { checkedInteger, fieldNames, requireOptions, requireText } from "../usage.ts";
import { untilAborted } from "../waiting.ts";
import type { Delivery } from "./delivery.ts";
import { type ProducedRecord, requireRecord } from "./produced-record.ts";
import type { GivenRecord } from "./serialized-record.ts";

/** Options of a stream to write records into. */
export interface WritableOptions {
  /** Where records go that name no topic. */
  readonly topic?: string | undefined;
  /** Records that may be unacknowledged before a write waits, and with it whoever pipes (default 1000). */
  readonly unacknowledgedMax?: number | undefined;
  /**
   * Fails the stream with its reason at once, also while a write waits: a pipe's own signal is heard when the write under way is over,
   * by the streams' standard. Records that were accepted go their way.
   */
  readonly signal?: AbortSignal | undefined;
}

/** A record to be written; `topic` may be left out where the stream has one. */
export type WritableRecord<K, V> = Omit<ProducedRecord<K, V>, "topic"> & {
  readonly topic?: string | undefined;
};

/** Who sends them: a producer, or a transaction. */
export interface SinkHost {
  /** Throws what the record is refused with; nothing is accepted then. */
  accept(record: GivenRecord, delivery: Delivery): void;
  whenHalfEmpty(): Promise<void>;
  flush(): Promise<void>;
}

const WRITABLE_OPTIONS = fieldNames<WritableOptions>({ topic: true, unacknowledgedMax: true, signal: true });

/** Throws USAGE. */
export function recordSink<K, V>(
  host: SinkHost,
  options: WritableOptions,
): WritableStream<WritableRecord<K, V>> {
  requireOptions("writable", options, WRITABLE_OPTIONS);
  const { topic, unacknowledgedMax = LIMITS.unacknowledgedRecordsMax, signal } = options;
  requireText("topic", topic);
  // The global one, which Node loads when it is asked for: an import would make every start pay for it.
  return new WritableStream(
    new RecordSink(host, topic, checkedInteger("unacknowledgedMax", unacknowledgedMax, 1), signal),
  );
}

/** Node has the signal, which aborts before a write under way is over; its types lack it. */
interface SinkController extends WritableStreamDefaultController {
  readonly signal: AbortSignal;
}

class RecordSink implements UnderlyingSink<WritableRecord<unknown, unknown>>, Delivery {
  readonly #host: SinkHost;
  readonly #topic: string | undefined;
  readonly #unacknowledgedMax: number;
  readonly #signal: AbortSignal | undefined;
  /** Aborted with what has ended the stream, other than its close. */
  readonly #over = new AbortController();
  #forgetSignal = (): void => {};
  #unacknowledged = 0;
  #fail: (reason: unknown) => void = () => {};
  /** Of the write that waits for acknowledgements. */
  #wake: () => void = () => {};

  constructor(
    host: SinkHost,
    topic: string | undefined,
    unacknowledgedMax: number,
    signal: AbortSignal | undefined,
  ) {
    this.#host = host;
    this.#topic = topic;
    this.#unacknowledgedMax = unacknowledgedMax;
    this.#signal = signal;
  }

  start(controller: WritableStreamDefaultController): void {
    const signal = this.#signal;
    const { signal: aborted } = controller as SinkController;
    onAbort(aborted, () => this.#end(aborted.reason));
    this.#fail = (reason) => {
      controller.error(reason);
      this.#end(reason);
    };
    if (signal === undefined) return;
    this.#forgetSignal = onAbort(signal, () => this.#fail(signal.reason));
    if (signal.aborted) this.#fail(signal.reason);
  }

  async write(given: WritableRecord<unknown, unknown>): Promise<void> {
    try {
      await this.#accept(this.#recordOf(given));
    } catch (error) {
      this.#end(error);
      throw error;
    }
    if (this.#unacknowledged < this.#unacknowledgedMax) return;
    const room = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await untilAborted(room, this.#over.signal);
  }

  async close(): Promise<void> {
    // What others have sent goes out as well, and is theirs to hear of.
    await untilAborted(
      this.#host.flush().catch(() => {}),
      this.#over.signal,
    );
    this.#over.signal.throwIfAborted();
    this.#forgetSignal();
  }

  succeed(): void {
    this.#settled();
  }

  fail(_slot: number, error: MiniKafkaError): void {
    this.#fail(error);
    this.#settled();
  }

  #settled(): void {
    this.#unacknowledged -= 1;
    if (this.#unacknowledged < this.#unacknowledgedMax) this.#wake();
  }

  /** The first reason counts, here and in the stream. */
  #end(reason: unknown): void {
    this.#forgetSignal();
    this.#over.abort(reason);
  }

  #recordOf(given: WritableRecord<unknown, unknown>): GivenRecord {
    requireRecord(given);
    // One without a topic is refused where all are.
    return { ...given, topic: given.topic ?? this.#topic } as GivenRecord;
  }

  /**
   * Waits for room: at first for as much as a sender in a loop waits for, then, for a large record, until all that is there now is
   * settled; somebody else may have filled the buffer again by then.
   */
  async #accept(record: GivenRecord): Promise<void> {
    if (this.#tryAccept(record)) return;
    let room = this.#host.whenHalfEmpty();
    for (;;) {
      await untilAborted(room, this.#over.signal);
      if (this.#tryAccept(record)) return;
      room = this.#host.flush().catch(() => {});
    }
  }

  /** Whether it was accepted, or found no room; throws BUFFER_FULL when an empty buffer has no room for it. */
  #tryAccept(record: GivenRecord): boolean {
    this.#unacknowledged += 1;
    try {
      this.#host.accept(record, this);
      return true;
    } catch (error) {
      this.#unacknowledged -= 1;
      if (hasCode(error, "BUFFER_FULL") && error.details.bufferedBytes !== 0) return false;
      throw error;
    }
  }
}
