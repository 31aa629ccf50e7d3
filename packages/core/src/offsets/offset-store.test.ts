import { describe, expect, test } from "vitest";
import type { OffsetEntry } from "./offset-record.ts";
import { OffsetStore } from "./offset-store.ts";

function entry(groupId: string, partition: number, offset: number | null): OffsetEntry {
  const stored = offset === null ? null : { offset, metadata: null, committedMs: 1, topicId: "A" };
  return { groupId, topic: "orders", partition, stored };
}

const newestOf = (store: OffsetStore, groupId: string) =>
  store
    .newest(groupId)
    .map(({ partition, stored }) => `${partition}=${stored.offset}`)
    .sort();

describe("a store of offsets", () => {
  test("tells what is acknowledged, and knows of the newest as long as any of a place is open", () => {
    const store = new OffsetStore();
    const [first, second] = [entry("billing", 0, 1), entry("billing", 0, 2)];
    store.append(first);
    store.append(second);
    expect(store.of("billing")).toEqual([]);
    expect(newestOf(store, "billing")).toEqual(["0=2"]);
    store.commit(first);
    expect(store.get(first)?.offset).toBe(1);
    expect(newestOf(store, "billing")).toEqual(["0=2"]);
    store.commit(second);
    expect(store.get(first)?.offset).toBe(2);
    expect(newestOf(store, "billing")).toEqual(["0=2"]);
  });

  test("counts a tombstone that is open as gone, though it still tells the offset", () => {
    const store = new OffsetStore();
    store.restore(entry("billing", 0, 1));
    store.restore(entry("billing", 1, 5));
    const tombstone = entry("billing", 0, null);
    store.append(tombstone);
    expect(newestOf(store, "billing")).toEqual(["1=5"]);
    expect(store.countOf("billing")).toBe(2);
    store.commit(tombstone);
    expect(store.of("billing")).toHaveLength(1);
    expect(store.countOf("billing")).toBe(1);
  });

  test("has no group that has nothing, and takes what is forgotten twice, or was never there, for forgotten", () => {
    const store = new OffsetStore();
    store.restore(entry("billing", 0, 1));
    store.restore(entry("shipping", 3, 1));
    expect([store.groupCount, ...store.groupIds()]).toEqual([2, "billing", "shipping"]);
    for (const partition of [0, 0, 7]) store.restore(entry("billing", partition, null));
    store.restore(entry("nobody", 0, null));
    expect([store.groupCount, ...store.groupIds()]).toEqual([1, "shipping"]);
    expect([store.countOf("billing"), store.countOf("nobody")]).toEqual([0, 0]);
    store.restore(entry("billing", 0, 2));
    expect(store.countOf("billing")).toBe(1);
  });
});
