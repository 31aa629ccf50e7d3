/**
 * One client's stream: lines in, answers out.
 *
 * Owns: the unfinished line, the answers in line, the waits of this client.
 * Invariants: requests take effect in the order in which they came; at most `requestsInHandMax` are unanswered; while that
 * many are, or the client does not read its answers, nothing more is read; a line without its newline is never carried out.
 * Never: lets what happens here reach another connection.
 */
import type { Duplex } from "node:stream";
import { FrameTooLarge, LineFramer } from "@minikafka/protocol";
import type { Deadline, Deadlines } from "../deadlines.ts";
import type { Wait, WaitHolder } from "../parking.ts";
import { AnswerOrder, type Place } from "./answer-order.ts";
import { type AnswerLine, type Dispatcher, failure } from "./dispatch.ts";
import { Output, type OutputLimits } from "./output.ts";

export interface ConnectionLimits {
  readonly frameBytesMax: number;
  readonly requestsInHandMax: number;
  /** A connection that has nothing in hand and brings nothing for so long is closed (Kafka: connections.max.idle.ms). */
  readonly idleMs: number;
  /** After its last answer, a client has so long to read it and to close. */
  readonly lingerMs: number;
  readonly output: OutputLimits;
}

export interface ConnectionOptions {
  readonly dispatcher: Dispatcher;
  readonly limits: ConnectionLimits;
  readonly realTime: Deadlines;
  /** Why a connection was closed, for the log. */
  readonly onClosing: (reason: string) => void;
}

export class Connection implements WaitHolder {
  readonly waits = new Set<Wait>();
  readonly #stream: Duplex;
  readonly #options: ConnectionOptions;
  readonly #framer: LineFramer;
  readonly #order = new AnswerOrder();
  readonly #output: Output;
  readonly #send = (line: string): void => this.#output.write(line);
  #inHand = 0;
  /** No further request will be read: the client has ended, broke the rules, or the broker stops. */
  #isEnding = false;
  #isServing = false;
  /** Counts whatever happens here, so that idleness is looked at once in a while instead of timed at each request. */
  #activity = 0;
  #deadline: Deadline;
  #lingerMs: number;

  constructor(stream: Duplex, options: ConnectionOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#lingerMs = options.limits.lingerMs;
    this.#framer = new LineFramer(options.limits.frameBytesMax);
    this.#output = new Output(stream, options.limits.output, options.realTime, {
      onRoom: () => this.#serve(),
      onStalled: (bytes) => this.#destroy(`${bytes} bytes of answers were left unread`),
    });
    this.#deadline = this.#watchIdle();
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    stream.on("end", () => {
      if (!this.#isEnding) this.endAfterAnswers(this.#lingerMs);
    });
    stream.on("error", (error) => this.#options.onClosing(error.message));
    stream.on("close", () => this.#closed());
  }

  /** Requests that were taken and not answered yet. */
  get inHand(): number {
    return this.#inHand;
  }

  /** Reads no further request, and closes once those in hand are answered and the client had `lingerMs` to read that. */
  endAfterAnswers(lingerMs: number): void {
    this.#lingerMs = lingerMs;
    this.#isEnding = true;
    this.#stream.resume();
    this.#endIfAnswered();
  }

  /** Closes at once; what was not sent is lost. */
  destroy(): void {
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#isEnding) return;
    this.#activity += 1;
    this.#framer.push(chunk);
    this.#serve();
  }

  /** Takes requests while there are some and there is room for their answers. */
  #serve(): void {
    // Answers that are ready at once free a place while requests are being taken: no need to begin anew for each.
    if (this.#isServing || this.#isEnding) return;
    this.#isServing = true;
    try {
      while (this.#hasRoom() && !this.#isEnding) {
        const line = this.#framer.next();
        if (line === null) break;
        if (line.length > 0) this.#take(line);
      }
    } catch (error) {
      if (!(error instanceof FrameTooLarge)) throw error;
      this.#refuseFrame(error);
    } finally {
      this.#isServing = false;
    }
    if (this.#isEnding || this.#hasRoom()) this.#stream.resume();
    else this.#stream.pause();
  }

  #hasRoom(): boolean {
    return this.#inHand < this.#options.limits.requestsInHandMax && this.#output.hasRoom;
  }

  #take(line: Buffer): void {
    this.#inHand += 1;
    const { id, line: answer } = this.#options.dispatcher.dispatch(line, this);
    // An answer with an id leaves as soon as it is ready; one without waits for its turn.
    const place = id === undefined ? this.#order.takePlace() : null;
    if (!(answer instanceof Promise)) this.#answer(place, answer);
    else
      answer.then((later) => {
        this.#answer(place, later);
        this.#serve();
      }, unreachableRejection);
  }

  #answer(place: Place | null, line: AnswerLine): void {
    if (place !== null) this.#order.answer(place, line, this.#send);
    else if (line !== null) this.#send(line);
    this.#inHand -= 1;
    this.#activity += 1;
    if (this.#isEnding) this.#endIfAnswered();
  }

  /** The answer comes after those that are owed; the rest of the line is read and dropped, so that it can be received. */
  #refuseFrame(error: FrameTooLarge): void {
    this.#options.onClosing(error.message);
    this.#inHand += 1;
    const place = this.#order.takePlace();
    this.#isEnding = true;
    this.#answer(place, failure(undefined, "FRAME_TOO_LARGE", `${error.message}; the connection closes`));
  }

  #endIfAnswered(): void {
    if (this.#inHand > 0 || this.#stream.destroyed) return;
    this.#output.end();
    // A peer that neither reads nor closes is not waited for.
    this.#deadline.cancel();
    this.#deadline = this.#options.realTime.after(this.#lingerMs, () => this.#stream.destroy());
  }

  /** Closes what was idle for a whole `idleMs`; for at most twice that, since it is looked at so often. */
  #watchIdle(): Deadline {
    const { idleMs } = this.#options.limits;
    const seen = this.#activity;
    return this.#options.realTime.after(idleMs, () => {
      if (this.#inHand === 0 && this.#activity === seen) this.#destroy(`idle for ${idleMs} ms`);
      else this.#deadline = this.#watchIdle();
    });
  }

  #destroy(reason: string): void {
    this.#options.onClosing(reason);
    this.#stream.destroy();
  }

  #closed(): void {
    this.#isEnding = true;
    this.#deadline.cancel();
    for (const wait of [...this.waits]) wait.end();
  }
}

function unreachableRejection(error: unknown): never {
  throw new Error("an answer's promise never rejects", { cause: error });
}
