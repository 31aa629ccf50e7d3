/** A cluster's history as it grows: its lines, from the first on, again from the first when a snapshot was loaded. */
import type { Session } from "../session.ts";

export interface HistoryNews {
  /** What was read before may not have happened. */
  readonly beginsAnew: boolean;
  readonly lines: readonly string[];
  /** There is more at once. */
  readonly hasMore: boolean;
  /** What comes next is not kept. */
  readonly hasEnded: boolean;
  /** What ended it, where that was the broker's disk. */
  readonly diskError: string | null;
}

export class HistoryReader {
  readonly #session: Pick<Session, "call">;
  #life: number | null = null;
  #next = 0;

  constructor(session: Pick<Session, "call">) {
    this.#session = session;
  }

  /** What is new since the last time. */
  async read(): Promise<HistoryNews> {
    let page = await this.#session.call("read_history", { from: this.#next });
    const beginsAnew = this.#life !== null && page.life !== this.#life;
    if (beginsAnew) page = await this.#session.call("read_history", { from: 0 });
    this.#life = page.life;
    this.#next = page.next;
    const hasMore = page.next < page.end;
    const diskError = page.disk_error ?? null;
    return { beginsAnew, lines: page.lines, hasMore, hasEnded: page.ended && !hasMore, diskError };
  }
}
