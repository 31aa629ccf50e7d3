/** Where a consumer is in its partitions, moving it elsewhere, and how far it is behind. */

import { lagOf } from "../offset-lag.ts";
import type { Session } from "../session.ts";
import type { TopicPartition } from "../topic-partition.ts";
import type { ConsumerSettings } from "./consumer-options.ts";
import type { ConsumerGroup } from "./group/consumer-group.ts";
import { checkOffsetSpec, lookUpOffset } from "./offset-lookup.ts";
import type { OffsetSpec } from "./partition-cursor.ts";
import type { RecordSupply } from "./record-supply.ts";

/** How far a consumer is behind a partition's visible end. */
export interface PartitionLag extends TopicPartition {
  readonly position: number;
  readonly endOffset: number;
  /** `null` when the position lies past the end, so that the next fetch resets it (autoOffsetReset). */
  readonly lag: number | null;
  /** With a group: what it has committed, `null` for nothing, and how far that is behind, `null` as `lag` is. */
  readonly committed?: number | null;
  readonly committedLag?: number | null;
}

export class Positions {
  readonly #session: Session;
  readonly #settings: ConsumerSettings;
  readonly #supply: RecordSupply;

  constructor(session: Session, settings: ConsumerSettings, supply: RecordSupply) {
    this.#session = session;
    this.#settings = settings;
    this.#supply = supply;
  }

  async seek(place: TopicPartition, to: OffsetSpec): Promise<void> {
    this.#supply.assertOpen();
    checkOffsetSpec(to);
    const cursor = this.#supply.ring.get(place);
    this.#supply.handOuts.forget([place]);
    if (typeof to === "number") cursor.moveTo(to);
    else {
      cursor.restart();
      await this.#supply.fetcher.locate(cursor, to);
    }
    this.#supply.changed();
  }

  async seekToCommitted(places: readonly TopicPartition[]): Promise<void> {
    this.#supply.assertOpen();
    const cursors = places.map((place) => this.#supply.ring.get(place));
    this.#supply.handOuts.forget(places);
    this.#supply.handOuts.settle();
    for (const cursor of cursors) cursor.lose("committed");
    this.#supply.fetcher.begin(cursors);
    await Promise.all(places.map((place) => this.position(place)));
    this.#supply.changed();
  }

  async position(place: TopicPartition): Promise<number> {
    this.#supply.assertOpen();
    const cursor = this.#supply.ring.get(place);
    while (cursor.position === null) {
      if (cursor.busy === "no") await this.#supply.fetcher.locateLost(cursor);
      else await this.#supply.change();
      this.#supply.assertOpen();
    }
    return cursor.position;
  }

  async lag(group: ConsumerGroup | null): Promise<PartitionLag[]> {
    const lookup = { isolation: this.#settings.isolation, enough: this.#supply.enough };
    const places = this.#supply.ring.all.map(({ place }) => place);
    const committed = await group?.commits.committed(places);
    return Promise.all(
      places.map(async (place, index) => {
        const position = await this.position(place);
        const endOffset = await lookUpOffset(this.#session, place, "end", lookup);
        const lag = { ...place, position, endOffset, lag: lagOf(position, endOffset) };
        if (committed === undefined) return lag;
        const offset = committed[index]?.offset ?? null;
        return { ...lag, committed: offset, committedLag: offset === null ? null : lagOf(offset, endOffset) };
      }),
    );
  }
}
