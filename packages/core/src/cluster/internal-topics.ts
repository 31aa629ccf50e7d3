/** The topics that the cluster keeps for itself. Clients may read them, and nothing else. */
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { RawTopicConfig } from "./topic-config.ts";
import { collisionKey, isInternalTopic } from "./topic-name.ts";

/** Committed offsets and groups (Kafka's name). */
export const OFFSETS_TOPIC = "__consumer_offsets";

/** Transactional ids (Kafka's name). */
export const TRANSACTIONS_TOPIC = "__transaction_state";

const INTERNAL_TOPICS: readonly string[] = [OFFSETS_TOPIC, TRANSACTIONS_TOPIC];

/** What an internal topic goes by, whatever the cluster's defaults are. Kafka: offsets.topic.* and transaction.state.log.*. */
export const INTERNAL_TOPIC_CONFIG: RawTopicConfig = {
  cleanup_policy: "compact",
  segment_bytes: LIMITS.internalTopicSegmentBytes,
  // Of what is read when a coordinator loads, at most so much is out of date.
  min_cleanable_dirty_ratio: 0.3,
  max_message_bytes: LIMITS.batchBytesMax,
};

/** `named`, unless only the broker itself may write to that topic, change or delete it: then it throws INVALID_TOPIC. */
export function requireClientTopic<Named extends { readonly topic: string }>(named: Named): Named {
  const { topic } = named;
  if (!isInternalTopic(topic)) return named;
  throw new BrokerError(
    "INVALID_TOPIC",
    `${quoted(topic)} begins with "__": it is kept for the broker itself, and clients may only read it`,
  );
}

/** The internal topic that `name` would stand in the way of, or `null`: the two names are not told apart. */
export function internalRival(name: string): string | null {
  return INTERNAL_TOPICS.find((internal) => collisionKey(internal) === collisionKey(name)) ?? null;
}
