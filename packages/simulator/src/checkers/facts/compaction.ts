/** What compaction may have taken: which record of a key is its last, as far as clients can know. */
import type { PlaceName } from "../../history/place.ts";
import { type JudgedHistory, mapIn, type Sent } from "./judged-history.ts";

export class Compaction {
  readonly #judged: JudgedHistory;
  /** By place and key: the last offset at which a record that may count is known to be. */
  readonly #last = new Map<PlaceName, Map<string, number>>();
  /** Those of which somebody is that nobody can place. */
  readonly #unplaced = new Map<PlaceName, Map<string, Sent>>();

  constructor(judged: JudgedHistory) {
    this.#judged = judged;
    for (const sent of judged.sent.values()) this.#take(sent);
  }

  /** Whether a record at `offset` may be gone for what was written behind it, or for being a tombstone. */
  mayTake(sent: Sent, offset: number): boolean {
    const { key, place, isTombstone } = sent;
    if (key === null || !this.#judged.isCompacted(place)) return false;
    if (isTombstone) return true;
    const last = this.#last.get(place)?.get(key) ?? -1;
    const unplaced = this.#unplaced.get(place)?.get(key);
    return last > offset || (unplaced !== undefined && unplaced.id !== sent.id);
  }

  #take(sent: Sent): void {
    const { key, place, send, transaction } = sent;
    if (key === null || !this.#judged.isCompacted(place) || send.ended?.outcome === "failed") return;
    // What is aborted replaces nothing.
    if (transaction !== null && transaction.visibleFrom === null) return;
    const sights = this.#judged.sights.get(sent.id) ?? [];
    const offset = Math.max(sent.offset ?? -1, ...sights.map((sight) => sight.offset));
    if (offset < 0) {
      mapIn(this.#unplaced, place).set(key, sent);
      return;
    }
    const last = mapIn(this.#last, place);
    last.set(key, Math.max(last.get(key) ?? -1, offset));
  }
}
