/**
 * The requests of one protocol, by name.
 *
 * Owns their numbers, and since when those are under way that have not ended.
 * Invariant: how many names there are is bounded by the protocol's table; what cannot be read has one for all.
 */
import type { RequestEvent } from "../../request-event.ts";
import { Counts } from "./counts.ts";
import type { Times } from "./metrics-page.ts";
import { TimeBook } from "./times.ts";

type Told = Extract<RequestEvent, { readonly kind: "request_taken" | "request_done" }>;

export class RequestCounts {
  readonly taken = new Counts<[string]>();
  readonly errors = new Counts<[string, string]>();
  readonly #times = new Map<string, TimeBook>();
  readonly #sinceMs = new Map<number, number>();
  readonly #nowMs: (() => number) | null;

  /** `nowMs` is real time; `null` where how long something takes is not the broker's doing. */
  constructor(nowMs: (() => number) | null) {
    this.#nowMs = nowMs;
  }

  note(event: Told, name: string): void {
    if (event.kind === "request_taken") {
      this.taken.add(1, name);
      if (this.#nowMs !== null) this.#sinceMs.set(event.request, this.#nowMs());
      return;
    }
    const { outcome } = event;
    if (outcome !== null && outcome !== "ok") this.errors.add(1, name, outcome);
    const sinceMs = this.#sinceMs.get(event.request);
    if (sinceMs === undefined || this.#nowMs === null) return;
    this.#sinceMs.delete(event.request);
    const book = this.#times.get(name) ?? new TimeBook();
    this.#times.set(name, book);
    book.note(this.#nowMs() - sinceMs);
  }

  *times(): Iterable<readonly [Times, string]> {
    for (const [name, book] of this.#times) yield [book.times, name];
  }
}
