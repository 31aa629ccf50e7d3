/**
 * Of which offsets the fate is open: a transaction has sent them and its end, if there is one, is not acknowledged (Kafka: pending
 * transactional offset commits).
 *
 * Owns: for each place how many transactions have staged an offset of it. Never: a place or a group with none.
 */
import type { OffsetPlace } from "./offset-record.ts";

interface StagedPlace {
  readonly place: OffsetPlace;
  count: number;
}

export class StagedOffsets {
  /** By group, then by place. */
  readonly #groups = new Map<string, Map<string, StagedPlace>>();

  add({ groupId, topic, partition }: OffsetPlace): void {
    const group = this.#groups.get(groupId) ?? new Map<string, StagedPlace>();
    if (group.size === 0) this.#groups.set(groupId, group);
    const key = placeKey({ topic, partition });
    const staged = group.get(key);
    if (staged === undefined) group.set(key, { place: { groupId, topic, partition }, count: 1 });
    else staged.count += 1;
  }

  remove(place: OffsetPlace): void {
    const group = this.#groups.get(place.groupId);
    const key = placeKey(place);
    const staged = group?.get(key);
    if (group === undefined || staged === undefined) return;
    staged.count -= 1;
    if (staged.count > 0) return;
    group.delete(key);
    if (group.size === 0) this.#groups.delete(place.groupId);
  }

  /** Groups that have any. */
  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  hasGroup(groupId: string): boolean {
    return this.#groups.has(groupId);
  }

  has(place: OffsetPlace): boolean {
    return this.#groups.get(place.groupId)?.has(placeKey(place)) === true;
  }

  /** Those of a group, in no particular order. */
  of(groupId: string): OffsetPlace[] {
    return Array.from(this.#groups.get(groupId)?.values() ?? [], ({ place }) => place);
  }
}

/** No topic's name has a colon. */
export function placeKey({ topic, partition }: Pick<OffsetPlace, "topic" | "partition">): string {
  return `${topic}:${partition}`;
}
