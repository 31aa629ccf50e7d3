import { describe, expect, test } from "vitest";
import type { TopicFacts } from "./commit-request.ts";
import { expiredOffsets } from "./offset-expiry.ts";
import type { CommittedEntry } from "./offset-store.ts";

const TOPICS: { readonly [topic: string]: TopicFacts } = { orders: { topicId: "A", partitions: 2 } };
const topicOf = (topic: string) => TOPICS[topic] ?? null;

function entry(committedMs: number, { topic = "orders", topicId = "A", partition = 0 } = {}): CommittedEntry {
  return {
    groupId: "billing",
    topic,
    partition,
    stored: { offset: 1, metadata: null, committedMs, topicId },
  };
}

/** Why each is over, or "stays", with a retention of 100 at the time 1000. */
function judged(entries: readonly CommittedEntry[], heldUntilMs: number | null): string[] {
  const over = expiredOffsets(entries, heldUntilMs, { nowMs: 1000, retentionMs: 100, topicOf });
  return entries.map((each) => over.find((expired) => expired.entry === each)?.reason ?? "stays");
}

describe("an offset is over", () => {
  test("of a group that never had members, so long after its own commit", () => {
    expect(judged([entry(900), entry(901)], 0)).toEqual(["retention", "stays"]);
  });

  test("of a group that lost its members, so long after the last of them, or after a commit that came later", () => {
    expect(judged([entry(1), entry(950)], 899)).toEqual(["retention", "stays"]);
    expect(judged([entry(1), entry(950)], 901)).toEqual(["stays", "stays"]);
    expect(judged([entry(900), entry(899)], 900)).toEqual(["retention", "retention"]);
  });

  test("of a group with members, never for its age", () => {
    expect(judged([entry(1)], null)).toEqual(["stays"]);
  });

  test("when its topic is gone, was made anew or lost the partition, whatever the group", () => {
    const gone = [
      entry(1000, { topic: "nowhere" }),
      entry(1000, { topicId: "B" }),
      entry(1000, { partition: 2 }),
      entry(1000, { partition: 1 }),
    ];
    for (const held of [null, 0, 1000])
      expect(judged(gone, held)).toEqual(["topic_gone", "topic_gone", "topic_gone", "stays"]);
  });
});
