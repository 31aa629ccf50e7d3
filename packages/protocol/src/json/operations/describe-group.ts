import { z } from "zod";
import * as fields from "../fields.ts";
import * as group from "../group-fields.ts";
import { operation } from "../operation.ts";

const partitions = () => z.array(group.topicPartition);

/** Kafka's ConsumerGroupDescribe (KIP-848) and DescribeGroups. */
export const describeGroup = operation({
  name: "describe_group",
  summary: "A group's state, its members with what each has, and why it was rebalanced last.",
  request: () => ({ group_id: group.groupId }),
  response: () =>
    z.object({
      group_id: z.string(),
      type: group.groupType,
      state: group.groupState,
      generation: group.generation,
      assignor: group.assignor
        .nullable()
        .describe("null while the group has no member, and of a classic group"),
      classic: z
        .object({
          protocol_type: group.protocolType,
          protocol: z.string().nullable().describe("what the generation goes by; null while there is none"),
          leader_id: z.string().nullable().describe("the member that assigns"),
        })
        .nullable()
        .describe("what the members of a classic group go by; null of a consumer group"),
      rebalance: z.enum(["barrier", "immediate"]).describe("the dial that the cluster runs with"),
      coordinator_id: z.int().nullable(),
      offsets_partition: z.int().describe("the partition of __consumer_offsets that holds the group"),
      last_rebalance: z
        .object({ generation: group.generation, reason: z.string(), at_ms: z.int() })
        .nullable()
        .describe(
          "in plain words; while a classic group prepares a rebalance, that one, of the generation to come; null when it is not known any more",
        ),
      members: z.array(
        z.object({
          member_id: z.string(),
          topics: z.array(z.string()),
          session_timeout_ms: z.int(),
          rebalance_timeout_ms: z.int(),
          heartbeat_age_ms: z.int().describe("since the member was heard of last"),
          assignment: partitions().describe("what it may own now"),
          pending: partitions().describe("what it gets once others let go"),
          revoking: partitions().describe("what it has still to let go"),
          classic: z
            .object({
              instance_id: z.string().nullable().describe("of a static member (KIP-345)"),
              client_id: z.string(),
              client_host: z.string(),
              metadata_b64: fields.base64.describe("what it says for the group's protocol"),
              assignment_b64: fields.base64.describe("what the leader has given it"),
            })
            .nullable()
            .describe(
              "of a member of a classic group, whose topics and assignment are read from these bytes where they can be; null of another",
            ),
        }),
      ),
    }),
});
