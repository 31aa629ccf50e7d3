/**
 * What a poll without a wait asks for: once for what every partition has now. A partition whose position had to be found
 * first, or anew, is asked once more where it is then; a few times at most, since a position could be lost for ever. One that
 * only brought what is not to be shown (markers, aborted records) is asked for what comes after that.
 */
import type { CursorRing } from "./cursor-ring.ts";
import type { PartitionCursor } from "./partition-cursor.ts";

const TIMES_MAX = 4;

interface Asked {
  readonly generation: number;
  readonly times: number;
  /** Where it was to be fetched from; `null` while that was not known. */
  readonly offset: number | null;
}

export class BriefLook {
  readonly #asked = new Map<PartitionCursor, Asked>();

  toAsk(ring: CursorRing): PartitionCursor[] {
    const cursors = ring.toAsk().filter((cursor) => this.#isWorthAsking(cursor));
    for (const cursor of cursors) {
      const times = (this.#asked.get(cursor)?.times ?? 0) + 1;
      this.#asked.set(cursor, { generation: cursor.generation, times, offset: cursor.fetchOffset });
    }
    return cursors;
  }

  #isWorthAsking(cursor: PartitionCursor): boolean {
    const asked = this.#asked.get(cursor);
    if (asked === undefined) return true;
    if (asked.generation !== cursor.generation) return asked.times < TIMES_MAX;
    const { fetchOffset, visibleEnd } = cursor;
    if (asked.offset === null || fetchOffset === null || visibleEnd === null) return false;
    return fetchOffset > asked.offset && fetchOffset < visibleEnd;
  }
}
