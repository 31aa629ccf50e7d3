/**
 * What is spoken on a connection: how its stream is cut into requests, who carries them out, what becomes of what cannot be cut.
 * Lines of JSON and Kafka's frames differ in this, and in nothing else that a connection does.
 */
import type { Refusal } from "../request-event.ts";
import type { Client } from "./client.ts";

/** An answer as it leaves: as bytes when it is long, in pieces where joining them would copy much. */
export type Sent = string | Buffer | readonly Buffer[];
/** `null` when none will be sent. */
export type Answer = Sent | null;

/** In bytes; of text in characters, which are ASCII but for a few. */
export function sizeOf(answer: Answer): number {
  if (answer === null) return 0;
  return isWhole(answer) ? answer.length : answer.reduce((sum, piece) => sum + piece.length, 0);
}

export function piecesOf(answer: Sent): readonly (string | Buffer)[] {
  return isWhole(answer) ? [answer] : answer;
}

/** In one piece. */
export function bytesOf(answer: Sent): Buffer {
  if (typeof answer === "string") return Buffer.from(answer);
  return isWhole(answer) ? answer : Buffer.concat(answer);
}

function isWhole(answer: Sent): answer is string | Buffer {
  return typeof answer === "string" || Buffer.isBuffer(answer);
}

/** What comes of a request. */
export interface Dispatched {
  readonly answer: Answer | Promise<Answer>;
  /** Whether the answer leaves in the order of the requests; one that has no place there leaves as soon as it is ready. */
  readonly hasPlace: boolean;
  /** Takes effect only when this resolves: what the client sent behind it has to wait, so that the order is kept. */
  readonly holdsBack: Promise<unknown> | null;
}

/** One stream, cut into requests. */
export interface Frames {
  /** Bytes that came in and have not been handed out. */
  readonly pendingBytes: number;
  /** Whether {@link next} would return a request, or throw. */
  readonly isReady: boolean;
  /** Takes what the stream brought; `chunk` may be written to again once {@link next} has returned `null`. */
  push(chunk: Buffer): void;
  /** The next whole one, or `null`. A view that is good until the next call. Throws what {@link Speech.refusalOf} knows. */
  next(): Buffer | null;
  /** How many requests end in `chunk`, which is the next of the stream. */
  endsIn(chunk: Buffer): number;
}

/** Why no more is read of a stream, and the last answer to its client. */
export interface Unreadable extends Refusal {
  readonly answer: Answer;
}

export interface Speech {
  /** A request of more bytes is not taken. */
  readonly frameBytesMax: number;
  newFrames(): Frames;
  /** Carries a request out. Never throws, and its promise never rejects. */
  dispatch(frame: Buffer, client: Client): Dispatched;
  /** What is told to a client whose stream cannot be cut any further, for an error of {@link Frames.next}; `null`: it is none of those. */
  refusalOf(error: unknown): Unreadable | null;
}

/** For the promises of {@link Speech.dispatch}. */
export function unreachableRejection(error: unknown): never {
  throw new Error("an answer's promise never rejects", { cause: error });
}
