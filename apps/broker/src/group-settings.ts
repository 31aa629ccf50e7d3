/** The settings of consumer groups, a part of the table in settings-table.ts. */
import { LIMITS, REBALANCE_DIALS } from "@minikafka/core";
import { z } from "zod";

export const groupSettings = {
  rebalance: z
    .enum(REBALANCE_DIALS)
    .optional()
    .describe("a dial: a group's partition moves once its owner let go (barrier), or at once (immediate)"),
  group_session_timeout_ms: z
    .int()
    .min(1)
    .max(LIMITS.groupSessionTimeoutMsMax)
    .default(LIMITS.groupSessionTimeoutMsDefault)
    .describe("a member of a group that is silent for so long is expired, unless it asked for another time"),
  group_rebalance_timeout_ms: z
    .int()
    .min(1)
    .max(LIMITS.groupRebalanceTimeoutMsMax)
    .default(LIMITS.groupRebalanceTimeoutMsDefault)
    .describe("so is one that holds back for so long what it is to let go"),
  group_min_session_timeout_ms: z
    .int()
    .min(1)
    .max(LIMITS.groupSessionTimeoutMsMax)
    .default(LIMITS.groupMinSessionTimeoutMsDefault)
    .describe("the shortest session that a member of a classic group, a Kafka client, may ask for"),
  group_max_session_timeout_ms: z
    .int()
    .min(1)
    .max(LIMITS.groupSessionTimeoutMsMax)
    .default(LIMITS.groupMaxSessionTimeoutMsDefault)
    .describe("the longest one"),
  group_max_size: z
    .int()
    .min(1)
    .max(LIMITS.membersPerGroupMax)
    .default(LIMITS.membersPerGroupMax)
    .describe("how many members a classic group may have"),
  group_initial_rebalance_delay_ms: z
    .int()
    .min(0)
    .max(LIMITS.groupRebalanceTimeoutMsMax)
    .default(LIMITS.groupInitialRebalanceDelayMsDefault)
    .describe("how long the first rebalance of an empty classic group waits for more members"),
  freeze_groups: z
    .boolean()
    .default(false)
    .describe("expire no member without the step expire_members, as for a consumer that a debugger holds"),
  offsets_topic_partitions: z
    .int()
    .min(1)
    .max(LIMITS.partitionsPerTopicMax)
    .default(LIMITS.offsetsTopicPartitionsDefault)
    .describe("partitions of __consumer_offsets, when it is made"),
  offsets_retention_ms: z
    .int()
    .min(1)
    .default(LIMITS.offsetsRetentionMsDefault)
    .describe("how long the offsets of a group without members are kept"),
};
