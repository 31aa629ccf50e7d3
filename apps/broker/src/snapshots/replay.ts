/**
 * A history, carried out once more: each request when all is quiet that the one before it has set off, as it was taken then.
 *
 * Owns the clients that the history tells of.
 */

import type { Quiet } from "../connections/quiet.ts";
import { bytesOf } from "../connections/speech.ts";
import type { Recorder } from "../history/recorder.ts";
import {
  bytesOfLine,
  type KafkaRequestEntry,
  type RefusedEntry,
  type TraceEntry,
} from "../history/trace-lines.ts";
import type { Dispatcher } from "../json/dispatch.ts";
import type { KafkaDispatcher } from "../kafka/kafka-dispatch.ts";
import { Ghost } from "./ghost.ts";

/** Who carries the requests out, by their protocol. */
export interface Dispatchers {
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly kafkaDispatcher: Pick<KafkaDispatcher, "dispatch">;
}

export class Replay {
  readonly #dispatchers: Dispatchers;
  readonly #recorder: Recorder | null;
  readonly #quiet: Pick<Quiet, "come">;
  readonly #goOn: () => void;
  readonly #clients = new Map<number, Ghost>();

  /** `goOn` is asked before each request, and throws where no more of them are to be carried out. */
  constructor(
    dispatchers: Dispatchers,
    quiet: Pick<Quiet, "come">,
    goOn: () => void,
    recorder: Recorder | null = null,
  ) {
    this.#dispatchers = dispatchers;
    this.#quiet = quiet;
    this.#goOn = goOn;
    this.#recorder = recorder;
  }

  /** Answers and events are what comes of it, and are passed over. Rejects with what `goOn` throws. */
  async run(entries: readonly string[]): Promise<void> {
    for (const text of entries) {
      if (text.startsWith('{"event"')) continue;
      this.#goOn();
      const entry = JSON.parse(text) as TraceEntry;
      if ("request" in entry) this.#take(entry.request.connection, bytesOfLine(entry.request));
      else if ("kafka_request" in entry) this.#takeFrame(entry.kafka_request);
      else if ("refused" in entry) this.#refuse(entry.refused);
      else if ("closed" in entry) this.#close(entry.closed.connection);
      else continue;
      await this.#quiet.come();
    }
  }

  /** All clients are gone. */
  async end(): Promise<void> {
    for (const number of [...this.#clients.keys()]) {
      this.#close(number);
      await this.#quiet.come();
    }
  }

  /** What a client is answered, or `null` when that waits for something. */
  async ask(request: object): Promise<{ readonly [name: string]: unknown } | null> {
    this.#goOn();
    const { answer: dispatched } = this.#dispatchers.dispatcher.dispatch(
      Buffer.from(JSON.stringify(request)),
      new Ghost(0),
    );
    let answer = dispatched instanceof Promise ? null : dispatched;
    if (dispatched instanceof Promise)
      void dispatched.then((later) => {
        answer = later;
      });
    await this.#quiet.come();
    return answer === null ? null : JSON.parse(bytesOf(answer).toString());
  }

  #take(connection: number, line: Buffer): void {
    this.#dispatchers.dispatcher.dispatch(line, this.#client(connection));
  }

  #takeFrame({ connection, broker_id, client_host, frame_b64 }: KafkaRequestEntry): void {
    const peer = { brokerId: broker_id, clientHost: client_host };
    const frame = Buffer.from(frame_b64, "base64");
    this.#dispatchers.kafkaDispatcher.dispatch(frame, this.#client(connection), peer);
  }

  /** What was a request is refused once more when it is taken. */
  #refuse({ connection, request, broker_id: brokerId, reason }: RefusedEntry): void {
    if (request !== null) return;
    const broker = brokerId === undefined ? {} : { brokerId };
    this.#recorder?.refused({ connection, request, ...broker, reason });
  }

  #client(connection: number): Ghost {
    const client =
      this.#clients.get(connection) ??
      new Ghost(connection, {
        onRefused: (refused) => this.#recorder?.refused(refused),
        onCut: () => this.#close(connection),
      });
    this.#clients.set(connection, client);
    return client;
  }

  #close(connection: number): void {
    this.#recorder?.closed(connection);
    this.#clients.get(connection)?.end();
    this.#clients.delete(connection);
  }
}
