/**
 * The committed offsets of the groups that belong to one partition of the internal topic.
 *
 * Owns: what each group has committed, beside it what stands in the log and is not acknowledged, and what transactions have staged.
 * Invariant: what get() and of() tell is acknowledged; newest() counts what is open as well.
 * Never: a group that has nothing.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { RecordsOfKind } from "../coordinator/record-kinds.ts";
import { type OffsetEntry, type OffsetPlace, readOffsetRecord, type StoredOffset } from "./offset-record.ts";
import { readOffsetText } from "./offset-text.ts";
import { placeKey, StagedOffsets } from "./staged-offsets.ts";

/** An offset that is there. */
export interface CommittedEntry extends OffsetPlace {
  readonly stored: StoredOffset;
}

interface GroupOffsets {
  /** By topic, then by partition. */
  readonly topics: Map<string, Map<number, StoredOffset>>;
  count: number;
}

/** The newest of the entries of one place that are open, and how many they are. */
interface OpenEntry {
  entry: OffsetEntry;
  count: number;
}

export class OffsetStore implements RecordsOfKind<OffsetEntry> {
  readonly staged = new StagedOffsets();
  readonly #groups = new Map<string, GroupOffsets>();
  /** By group, then by place. */
  readonly #open = new Map<string, Map<string, OpenEntry>>();
  /** A topic's name and id, of which each record of a log brings a copy. */
  readonly #texts = new Map<string, string>();
  readonly #shared = (text: string): string => {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  };

  /** Groups that have an offset. */
  get groupCount(): number {
    return this.#groups.size;
  }

  /** Their names. */
  groupIds(): Iterable<string> {
    return this.#groups.keys();
  }

  /** How many offsets a group has committed. */
  countOf(groupId: string): number {
    return this.#groups.get(groupId)?.count ?? 0;
  }

  get({ groupId, topic, partition }: OffsetPlace): StoredOffset | null {
    return this.#groups.get(groupId)?.topics.get(topic)?.get(partition) ?? null;
  }

  /** Everything that a group has committed, in no particular order. */
  of(groupId: string): CommittedEntry[] {
    const topics = this.#groups.get(groupId)?.topics ?? [];
    return [...topics].flatMap(([topic, partitions]) =>
      Array.from(partitions, ([partition, stored]) => ({ groupId, topic, partition, stored })),
    );
  }

  /** The same as it is once everything that is open is acknowledged: whoever forgets offsets must know of newer ones. */
  newest(groupId: string): CommittedEntry[] {
    const open = this.#open.get(groupId);
    if (open === undefined) return this.of(groupId);
    const settled = this.of(groupId).filter((each) => !open.has(placeKey(each)));
    const entries = Array.from(open.values(), ({ entry }) => entry);
    return [...settled, ...entries.filter((entry): entry is CommittedEntry => entry.stored !== null)];
  }

  read(record: CoordinatorRecord): OffsetEntry {
    return readOffsetRecord(record, this.#shared);
  }

  readText(key: string, value: string | null): OffsetEntry | null {
    return readOffsetText(key, value, this.#shared);
  }

  append(entry: OffsetEntry): void {
    const { groupId } = entry;
    const open = this.#open.get(groupId) ?? new Map<string, OpenEntry>();
    if (open.size === 0) this.#open.set(groupId, open);
    const key = placeKey(entry);
    const before = open.get(key);
    if (before === undefined) open.set(key, { entry, count: 1 });
    else {
      before.entry = entry;
      before.count += 1;
    }
  }

  commit(entry: OffsetEntry): void {
    this.#close(entry);
    this.restore(entry);
  }

  restore(entry: OffsetEntry): void {
    const { groupId, topic, partition, stored } = entry;
    if (stored === null) {
      this.#forget(entry);
      return;
    }
    const group = this.#groups.get(groupId) ?? { topics: new Map(), count: 0 };
    if (group.count === 0) this.#groups.set(groupId, group);
    const partitions = group.topics.get(topic) ?? new Map<number, StoredOffset>();
    if (partitions.size === 0) group.topics.set(topic, partitions);
    if (!partitions.has(partition)) group.count += 1;
    partitions.set(partition, stored);
  }

  stage(entry: OffsetEntry): void {
    this.staged.add(entry);
  }

  unstage(entry: OffsetEntry): void {
    this.staged.remove(entry);
  }

  #close(entry: OffsetEntry): void {
    const open = this.#open.get(entry.groupId);
    const key = placeKey(entry);
    const newest = open?.get(key);
    if (open === undefined || newest === undefined) return;
    newest.count -= 1;
    if (newest.count > 0) return;
    open.delete(key);
    if (open.size === 0) this.#open.delete(entry.groupId);
  }

  #forget({ groupId, topic, partition }: OffsetPlace): void {
    const group = this.#groups.get(groupId);
    const partitions = group?.topics.get(topic);
    if (group === undefined || partitions?.delete(partition) !== true) return;
    group.count -= 1;
    if (partitions.size === 0) group.topics.delete(topic);
    if (group.count === 0) this.#groups.delete(groupId);
  }
}
