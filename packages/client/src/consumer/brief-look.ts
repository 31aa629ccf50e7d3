/**
 * What a poll without a wait asks for: once for what every partition has now. A partition whose position had to be found
 * first, or anew, is asked once more where it is then; a few rounds at most, since a position could be lost for ever.
 */
import type { CursorRing } from "./cursor-ring.ts";
import type { PartitionCursor } from "./partition-cursor.ts";

const ROUNDS_MAX = 4;

export class BriefLook {
  /** With the generation that was asked for. */
  readonly #asked = new Map<PartitionCursor, number>();
  #rounds = 0;

  toAsk(ring: CursorRing): PartitionCursor[] {
    if (this.#rounds >= ROUNDS_MAX) return [];
    this.#rounds += 1;
    const cursors = ring.toAsk().filter((cursor) => this.#asked.get(cursor) !== cursor.generation);
    for (const cursor of cursors) this.#asked.set(cursor, cursor.generation);
    return cursors;
  }
}
