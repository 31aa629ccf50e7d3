/** Which committed offsets are to be forgotten. Pure. Kafka: offsets.retention.minutes (KIP-211). */
import type { TopicLookup } from "./commit-request.ts";
import type { CommittedEntry } from "./offset-store.ts";

export type ExpiryReason = "retention" | "topic_gone";

export interface ExpiredOffset {
  readonly entry: CommittedEntry;
  readonly reason: ExpiryReason;
}

export interface ExpiryRules {
  readonly nowMs: number;
  readonly retentionMs: number;
  readonly topicOf: TopicLookup;
}

/**
 * What is over of one group's `entries`: offsets of a topic that is gone, at once, and what is older than `retentionMs`.
 * `heldUntilMs` is when the group last had a member: its offsets age from then on, or from their commit where that came later;
 * `null` while it has members, so that nothing ages.
 */
export function expiredOffsets(
  entries: readonly CommittedEntry[],
  heldUntilMs: number | null,
  { nowMs, retentionMs, topicOf }: ExpiryRules,
): ExpiredOffset[] {
  return entries.flatMap((entry): ExpiredOffset[] => {
    const { stored, topic, partition } = entry;
    const facts = topicOf(topic);
    if (facts?.topicId !== stored.topicId || partition >= facts.partitions)
      return [{ entry, reason: "topic_gone" }];
    if (heldUntilMs === null) return [];
    const isOver = nowMs - Math.max(heldUntilMs, stored.committedMs) >= retentionMs;
    return isOver ? [{ entry, reason: "retention" }] : [];
  });
}
