/**
 * CreateTopics: topics with partitions, replicas and settings.
 *
 * From version 4 on -1 stands for the broker's own number of partitions and replicas (KIP-464). Version 5 tells what was made
 * (KIP-525), 6 may say that a quota is used up, 7 tells the topic's id (KIP-516).
 */
import { boolean, int8, int16, int32, string, uuid, ZERO_UUID } from "../field-types.ts";
import { api, arrayOf, field, struct } from "../schema.ts";

const topic = struct({
  name: field(string),
  /** -1 where `assignments` says it, or for the broker's default. */
  numPartitions: field(int32),
  /** Likewise. */
  replicationFactor: field(int16),
  assignments: field(
    arrayOf(
      struct({
        partitionIndex: field(int32),
        brokerIds: field(arrayOf(int32)),
      }),
    ),
    { default: [] },
  ),
  configs: field(
    arrayOf(
      struct({
        name: field(string),
        value: field(string, { nullable: "0+" }),
      }),
    ),
    { default: [] },
  ),
});

const topicResult = struct({
  name: field(string),
  topicId: field(uuid, { versions: "7+", default: ZERO_UUID }),
  errorCode: field(int16),
  errorMessage: field(string, { nullable: "0+", default: null }),
  /** Why the settings are not told although the topic was made. */
  topicConfigErrorCode: field(int16, { versions: "5+", tag: 0 }),
  numPartitions: field(int32, { versions: "5+", default: -1 }),
  replicationFactor: field(int16, { versions: "5+", default: -1 }),
  configs: field(
    arrayOf(
      struct({
        name: field(string),
        value: field(string, { nullable: "5+" }),
        readOnly: field(boolean),
        configSource: field(int8),
        isSensitive: field(boolean),
      }),
    ),
    { versions: "5+", nullable: "5+", default: [] },
  ),
});

export const createTopics = api({
  key: 19,
  name: "CreateTopics",
  versions: [2, 7],
  flexibleFrom: 5,
  request: struct({
    topics: field(arrayOf(topic)),
    timeoutMs: field(int32, { default: 60_000 }),
    /** Say whether it could be made, and make nothing. */
    validateOnly: field(boolean, { default: false }),
  }),
  response: struct({
    throttleTimeMs: field(int32, { default: 0 }),
    topics: field(arrayOf(topicResult)),
  }),
});
