/**
 * What a poll without a wait asks for: once for what every partition has now. A partition whose position had to be found
 * first, or anew, is asked once more where it is then; a few times at most, since a position could be lost for ever.
 */
import type { CursorRing } from "./cursor-ring.ts";
import type { PartitionCursor } from "./partition-cursor.ts";

const TIMES_MAX = 4;

interface Asked {
  readonly generation: number;
  readonly times: number;
}

export class BriefLook {
  readonly #asked = new Map<PartitionCursor, Asked>();

  toAsk(ring: CursorRing): PartitionCursor[] {
    const cursors = ring.toAsk().filter((cursor) => {
      const asked = this.#asked.get(cursor);
      return asked === undefined || (asked.generation !== cursor.generation && asked.times < TIMES_MAX);
    });
    for (const cursor of cursors) {
      const times = (this.#asked.get(cursor)?.times ?? 0) + 1;
      this.#asked.set(cursor, { generation: cursor.generation, times });
    }
    return cursors;
  }
}
