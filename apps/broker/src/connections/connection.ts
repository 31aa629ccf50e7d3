/**
 * One client's stream: requests in, answers out. What they look like its speech says.
 *
 * Owns: the unfinished request, the answers in line, the waits and the watch of this client.
 * Invariants: requests take effect in the order in which they came; at most `requestsInHandMax` are unanswered; while that
 * many are, or some wait for another turn, or the client does not read its answers, nothing more is read; one that has not come whole is
 * never carried out.
 * Never: lets what happens here reach another connection.
 *
 *   open --client ends--> half open --all answered--> ending --all sent--> lingering --client closes--> closed
 *     '----one too long, or the broker stops----------> ending
 *
 * A client that has ended its side gets all its answers, but long polls of it stop waiting: it cannot be told from one that
 * has hung up, for whom nothing should be kept.
 */
import type { Duplex } from "node:stream";
import type { Deadline } from "../deadlines.ts";
import type { Wait } from "../parking.ts";
import type { Refusal } from "../request-event.ts";
import { AnswerOrder, type Place } from "./answer-order.ts";
import { Arrivals } from "./arrivals.ts";
import type { Client } from "./client.ts";
import type { ClosingLevel, ConnectionOptions } from "./connection-options.ts";
import { Output } from "./output.ts";
import { type Answer, type Frames, type Sent, type Unreadable, unreachableRejection } from "./speech.ts";
import type { TurnShare } from "./turn-line.ts";
import { Turns } from "./turns.ts";
import { Watching } from "./watching.ts";

export class Connection implements Client {
  readonly number: number;
  readonly waits = new Set<Wait>();
  readonly watching: Watching;
  readonly groupTurns = new Turns();
  readonly transactionTurns = new Turns();
  /** Resolves when the stream is closed. */
  readonly closed: Promise<void>;
  readonly #stream: Duplex;
  readonly #options: ConnectionOptions;
  readonly #frames: Frames;
  /** Where requests are taken in the order of all connections. */
  readonly #arrivals: Arrivals | null;
  /** Where they are not: what of each turn is this one's. */
  readonly #share: TurnShare;
  readonly #order = new AnswerOrder();
  readonly #output: Output;
  readonly #send = (answer: Sent): void => this.#output.write(answer);
  #inHand = 0;
  /** The client will send nothing more; whole requests may still be left to be taken. */
  #isHalfOpen = false;
  /** No further request will be taken. */
  #isEnding = false;
  #isServing = false;
  /** Its turn among all connections is to come. */
  #isInSequence = false;
  /** A request takes effect later than others do: those behind it wait. */
  #isHeldBack = false;
  #isTaking = false;
  /** Counts requests, answers and what is read of them, so that idleness is looked at once in a while instead of timed at each. */
  #activity = 0;
  #deadline: Deadline | null;
  #lingerMs: number;
  #whenAnswered: (() => void)[] = [];
  /** What the request that is being taken wants done once its answer has gone out. */
  #afterAnswer: (() => void) | null = null;

  constructor(stream: Duplex, options: ConnectionOptions) {
    this.number = options.number ?? 0;
    this.#stream = stream;
    this.#options = options;
    this.#lingerMs = options.limits.lingerMs;
    this.#arrivals = options.sequence === undefined ? null : new Arrivals(options.sequence);
    this.#share = options.turnLine.newShare(() => this.#serve());
    this.#frames = options.speech.newFrames();
    this.#output = new Output(stream, options.limits.output, options, {
      onRoom: () => this.#drained(),
      onProgress: () => {
        this.#activity += 1;
      },
      onStalled: (why) => this.#destroy(why, "info"),
    });
    this.watching = new Watching(this.#output, options.limits.output.eventBytesMax);
    this.#deadline = this.#watchIdle();
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    stream.on("end", () => this.#halfOpen());
    stream.on("finish", () => this.#linger());
    stream.on("error", (error) => options.onClosing(error.message, "debug"));
    this.closed = new Promise((resolve) => {
      stream.on("close", () => {
        this.#closed();
        resolve();
      });
    });
  }

  /** Resolves when no request is unanswered. Those that come meanwhile are served. */
  answered(): Promise<void> {
    if (this.#inHand === 0 || this.#stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.#whenAnswered.push(resolve));
  }

  /** Takes no further request, and closes once those in hand are answered and the client had `lingerMs` to read that. */
  endAfterAnswers(lingerMs: number): void {
    this.#lingerMs = lingerMs;
    this.#isEnding = true;
    this.watching.end();
    // What still comes is read and dropped, so that the end of the stream is seen.
    this.#stream.resume();
    if (this.#stream.writableFinished) this.#linger();
    else this.#endIfAnswered();
  }

  /** For a handler: `act` once the answer has gone out, and before any request behind it is taken. */
  afterAnswer(act: () => void): void {
    if (!this.#isTaking) throw new Error("what follows an answer is asked for while its request is taken");
    this.#isHeldBack = true;
    this.#afterAnswer = () => {
      this.#isHeldBack = false;
      if (!this.#isEnding && !this.#isHalfOpen) act();
    };
  }

  /** For a dispatcher, in the midst of a request. */
  refuse(refusal: Refusal): void {
    this.#tellRefused(refusal);
    this.cut(refusal.reason);
  }

  /** For a fault, in the midst of a request: its end is that of all requests, whenever the socket says that it is closed. */
  cut(reason: string): void {
    this.#destroy(reason);
    this.#endRequests();
  }

  /** Closes at once; what was not sent is lost. */
  destroy(): void {
    this.#isEnding = true;
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#isEnding) return;
    this.#arrivals?.came(this.#frames.endsIn(chunk));
    this.#frames.push(chunk);
    this.#serve();
  }

  #halfOpen(): void {
    this.#isHalfOpen = true;
    this.#arrivals?.ended();
    this.#serve();
  }

  /** Takes requests while there are some and there is room for their answers; one at a time where others' come between. */
  #serve(): void {
    const { sequence } = this.#options;
    if (sequence === undefined) {
      this.#serveUpTo(Number.POSITIVE_INFINITY);
      return;
    }
    this.#readWhatMayCome();
    // A turn without anything to take would be given to what comes later, before what others sent earlier.
    if (this.#isInSequence || this.#isEnding || !(this.#frames.isReady || this.#isHalfOpen)) return;
    this.#isInSequence = true;
    sequence.add(() => this.#takeTurn(), this.#arrivals?.nextPlace);
  }

  #takeTurn(): boolean {
    this.#isInSequence = false;
    const before = this.#activity;
    if (this.#serveUpTo(1) && this.#hasRoom()) this.#serve();
    return this.#activity > before || this.#isEnding;
  }

  /** Takes at most so many, and returns whether there may be more. */
  #serveUpTo(requestsMax: number): boolean {
    // Answers that are ready at once free a place while requests are being taken: no need to begin anew for each.
    if (this.#isServing || this.#isEnding) return false;
    this.#isServing = true;
    let hasMore = true;
    try {
      for (let left = requestsMax; left > 0 && hasMore && this.#mayTake(); left -= 1)
        hasMore = this.#takeNext();
    } catch (error) {
      const refusal = this.#options.speech.refusalOf(error);
      if (refusal === null) throw error;
      this.#end(refusal);
    } finally {
      this.#isServing = false;
    }
    if (this.#arrivals === null) this.#share.stopped(this.#frames.isReady);
    if (this.#isHalfOpen) this.#goTowardsEnd(hasMore);
    this.#readWhatMayCome();
    return hasMore && !this.#isEnding;
  }

  /** Of a client that sends nothing more. In the sequence its end comes behind its requests, unless its waits keep those from coming. */
  #goTowardsEnd(hasMore: boolean): void {
    if (!hasMore) {
      this.#endRequests();
      this.endAfterAnswers(this.#lingerMs);
    } else if (this.#arrivals === null || !(this.#isHeldBack || this.#hasRoom())) this.#endWaits();
  }

  /** What waits for its turn is held as well, and is not to grow. What is not read has no place in the sequence. */
  #readWhatMayCome(): void {
    const isFull = this.#share.isBehind || this.#frames.pendingBytes > this.#options.speech.frameBytesMax;
    const mayCome = this.#arrivals === null ? this.#hasRoom() : this.#hasOutputRoom();
    if (this.#isEnding || (mayCome && !isFull)) this.#stream.resume();
    else this.#stream.pause();
  }

  #mayTake(): boolean {
    if (this.#isEnding || !this.#hasRoom()) return false;
    return this.#arrivals !== null || this.#share.mayTakeMore();
  }

  #hasRoom(): boolean {
    const isFull = this.#inHand >= this.#options.limits.requestsInHandMax;
    return !this.#isHeldBack && !isFull && this.#hasOutputRoom();
  }

  #hasOutputRoom(): boolean {
    // Who has gone reads nothing, and takes no room.
    if (this.#stream.destroyed) return true;
    // Answers that wait for an earlier one are output as well, only not sent yet.
    return this.#order.heldCharacters <= this.#options.limits.output.pauseBytes && this.#output.hasRoom;
  }

  /** Takes the next request, and says whether there was one. */
  #takeNext(): boolean {
    const frame = this.#frames.next();
    if (frame === null) return false;
    this.#arrivals?.taken();
    // An empty line is no request.
    if (frame.length > 0) this.#take(frame);
    return true;
  }

  #take(frame: Buffer): void {
    this.#inHand += 1;
    this.#activity += 1;
    this.#isTaking = true;
    const { answer, hasPlace, holdsBack } = this.#options.speech.dispatch(frame, this);
    this.#isTaking = false;
    const afterwards = this.#afterAnswer;
    this.#afterAnswer = null;
    const place = hasPlace ? this.#order.takePlace(afterwards) : null;
    if (!(answer instanceof Promise)) {
      this.#answer(place, answer);
      if (place === null) afterwards?.();
      return;
    }
    if (holdsBack !== null) this.#isHeldBack = true;
    answer.then((later) => {
      this.#answer(place, later);
      this.#serve();
    }, unreachableRejection);
    holdsBack?.then(() => this.#goOn(), unreachableRejection);
  }

  /** What held back those behind it has taken effect. */
  #goOn(): void {
    this.#isHeldBack = false;
    // A long poll that was late begins to wait only now.
    if (this.#isEnding) this.#endWaits();
    this.#serve();
  }

  #answer(place: Place | null, answer: Answer): void {
    if (place !== null) this.#order.answer(place, answer, this.#send);
    else if (answer !== null) this.#send(answer);
    this.#inHand -= 1;
    this.#activity += 1;
    if (this.#inHand > 0) return;
    if (this.#whenAnswered.length > 0) this.#tellAnswered();
    if (this.#isEnding) this.#endIfAnswered();
  }

  /** The answer comes after those that are owed; the rest of the stream is read and dropped, so that it can be received. */
  #end({ answer, ...refusal }: Unreadable): void {
    this.#tellRefused(refusal);
    this.#isEnding = true;
    this.#endRequests();
    this.#inHand += 1;
    this.#answer(this.#order.takePlace(), answer);
  }

  #tellRefused(refusal: Refusal): void {
    const refused = { connection: this.number, ...refusal };
    this.#options.recorder?.refused(refused);
    this.#options.onRefused(refused);
  }

  #endIfAnswered(): void {
    if (this.#inHand === 0) this.#output.end();
  }

  /** Everything was sent. A peer that does not close is not waited for longer than this. */
  #linger(): void {
    this.#deadline?.cancel();
    if (!this.#stream.destroyed)
      this.#deadline = this.#options.realTime.after(this.#lingerMs, () => this.#stream.destroy());
  }

  /** Closes what was idle for a whole `idleMs`; for at most twice that, since it is looked at so often. */
  #watchIdle(): Deadline | null {
    const { idleMs } = this.#options.limits;
    if (idleMs === null) return null;
    const seen = this.#activity;
    return this.#options.realTime.after(idleMs, () => {
      // Who watches and has read everything waits for what happens next, however long that takes.
      const isWatching = this.watching.isOn && this.#output.unsentBytes === 0;
      // Nor is it the client that is late where requests wait for their turn.
      const isServed = this.#inHand === 0 && !this.#share.isBehind;
      if (isServed && this.#activity === seen && !isWatching) this.#destroy(`idle for ${idleMs} ms`, "info");
      else this.#deadline = this.#watchIdle();
    });
  }

  #destroy(reason: string, level: ClosingLevel = "debug"): void {
    this.#isEnding = true;
    this.#options.onClosing(reason, level);
    this.#stream.destroy();
  }

  #drained(): void {
    if (this.watching.isOn) this.#activity += 1;
    this.watching.drained();
    this.#serve();
  }

  /** No request is taken behind this. */
  #endRequests(): void {
    this.#options.recorder?.closed(this.number);
    this.#endWaits();
  }

  #endWaits(): void {
    this.watching.end();
    for (const wait of [...this.waits]) wait.end();
  }

  #tellAnswered(): void {
    for (const resolve of this.#whenAnswered.splice(0)) resolve();
  }

  /** In the sequence what a client has sent before it went is taken, as what it sent before it ended its side is. */
  #closed(): void {
    const { sequence } = this.#options;
    this.#deadline?.cancel();
    if (sequence === undefined) {
      this.#isEnding = true;
      this.#endRequests();
    } else if (!this.#isEnding) this.#halfOpen();
    else
      sequence.add(() => {
        this.#endRequests();
        return true;
      });
    this.#tellAnswered();
  }
}
