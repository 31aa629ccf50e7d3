/**
 * What becomes of one request, for the history and for those who watch requests, in whichever protocol it came.
 *
 * Owns what is known of its outcome, until it has ended.
 * Invariants: that it is taken is told before it is carried out, and how it ended once, before its answer leaves. What is done when
 * does not depend on who is told.
 */
import { type Answer, unreachableRejection } from "./connections/speech.ts";
import type { EventFeed, RequestSubject } from "./event-feed.ts";
import type { Asked, Numbered, Outcome } from "./request-event.ts";

interface Watched {
  readonly facts: Numbered & Asked;
  readonly subject: RequestSubject;
}

export class RequestAccount {
  readonly #numbered: Numbered;
  readonly #tellHistory: ((answer: Answer) => void) | null;
  readonly #events: EventFeed;
  /** `null` where nobody watched requests when it was taken. */
  #watched: Watched | null = null;
  #outcome: Outcome = null;

  constructor(numbered: Numbered, tellHistory: ((answer: Answer) => void) | null, events: EventFeed) {
    this.#numbered = numbered;
    this.#tellHistory = tellHistory;
    this.#events = events;
  }

  /** Begins to be carried out. `read` is called where somebody watches; `topics` are all that it names. */
  taken(read: () => { readonly asked: Asked; readonly topics: ReadonlySet<string> }): void {
    if (!this.#events.hasWatcherOfRequests) return;
    const { asked, topics } = read();
    const facts = { ...this.#numbered, ...asked };
    this.#watched = { facts, subject: { topics, ordinal: this.#events.requestsEver } };
    this.#events.tellRequest({ kind: "request_taken", ...facts }, this.#watched.subject);
  }

  /** What came of it, whether or not anybody will be told. */
  carriedOut(outcome: Outcome): void {
    this.#outcome = outcome;
  }

  /** `answer` is what its client gets; `outcomeOf` says what that tells where it was not carried out. */
  endsWith(answer: Answer | Promise<Answer>, outcomeOf: (answer: Answer) => Outcome): void {
    if (answer instanceof Promise)
      answer.then((later) => this.#ended(later, outcomeOf), unreachableRejection);
    else this.#ended(answer, outcomeOf);
  }

  #ended(answer: Answer, outcomeOf: (answer: Answer) => Outcome): void {
    this.#tellHistory?.(answer);
    if (this.#watched === null) return;
    const { facts, subject } = this.#watched;
    const outcome = this.#outcome ?? outcomeOf(answer);
    this.#events.tellRequest({ kind: "request_done", ...facts, outcome, answered: answer !== null }, subject);
  }
}

/** `null` where nobody wants to know of the request. */
export function newAccount(
  numbered: Numbered,
  tellHistory: ((answer: Answer) => void) | null,
  events: EventFeed,
): RequestAccount | null {
  if (tellHistory === null && !events.hasWatcherOfRequests) return null;
  return new RequestAccount(numbered, tellHistory, events);
}
