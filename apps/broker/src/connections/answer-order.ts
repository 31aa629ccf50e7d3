/**
 * The order in which answers leave a connection.
 *
 * Owns the answers that are ready but not yet due. A request that has a place in line
 * gets it when it is taken; its answer leaves when all places before it have been answered. One without a place is answered as soon
 * as its answer is ready, and never holds up another.
 * Invariants: each place is answered once; answers leave in the order of their places; what is held is counted.
 */

import { type Answer, type Sent, sizeOf } from "./speech.ts";

/** A place in line. `answer` is undefined until the answer is there, and null when none will be sent. */
interface Place {
  answer: Answer | undefined;
  /** Called right behind the answer, before any other is sent. */
  readonly onSent: (() => void) | null;
}

export type { Place };

export class AnswerOrder {
  readonly #places: Place[] = [];
  #heldCharacters = 0;

  /** Answers that wait for earlier ones, in characters; a long one is ASCII but for a few. */
  get heldCharacters(): number {
    return this.#heldCharacters;
  }

  /** True when an answer that is ready now may leave now. */
  get isIdle(): boolean {
    return this.#places.length === 0;
  }

  /** The next place in line. `onSent` is called when its answer has been handed on. */
  takePlace(onSent: (() => void) | null = null): Place {
    const place: Place = { answer: undefined, onSent };
    this.#places.push(place);
    return place;
  }

  /** Fills a place, and hands everything that is due now to `send`. A `null` is a place that gets no answer. */
  answer(place: Place, answer: Answer, send: (answer: Sent) => void): void {
    place.answer = answer;
    if (this.#places[0] !== place) {
      this.#heldCharacters += sizeOf(answer);
      return;
    }
    if (answer !== null) send(answer);
    this.#places.shift();
    place.onSent?.();
    for (let first = this.#places[0]; first?.answer !== undefined; first = this.#places[0]) {
      this.#places.shift();
      if (first.answer !== null) {
        this.#heldCharacters -= sizeOf(first.answer);
        send(first.answer);
      }
      first.onSent?.();
    }
  }
}
