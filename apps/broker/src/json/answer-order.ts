/**
 * The order in which answers leave a connection.
 *
 * Owns the answers that are ready but not yet due. A request without an id gets a place in line when it is taken; its
 * answer leaves when all places before it have been answered. A request with an id has no place: its answer leaves as soon
 * as it is ready, and never holds up another.
 * Invariants: each place is answered once; answers leave in the order of their places; what is held is counted.
 */

/** A place in line. `line` is undefined until the answer is there, and null when none will be sent. */
interface Place {
  line: string | Buffer | null | undefined;
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
    const place: Place = { line: undefined, onSent };
    this.#places.push(place);
    return place;
  }

  /** Fills a place, and hands everything that is due now to `send`. A `null` line is a place that gets no answer. */
  answer(place: Place, line: string | Buffer | null, send: (line: string | Buffer) => void): void {
    place.line = line;
    if (this.#places[0] !== place) {
      this.#heldCharacters += line?.length ?? 0;
      return;
    }
    if (line !== null) send(line);
    this.#places.shift();
    place.onSent?.();
    for (let first = this.#places[0]; first?.line !== undefined; first = this.#places[0]) {
      this.#places.shift();
      if (first.line !== null) {
        this.#heldCharacters -= first.line.length;
        send(first.line);
      }
      first.onSent?.();
    }
  }
}
