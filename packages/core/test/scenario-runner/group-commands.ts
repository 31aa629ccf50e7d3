/** `groups`, `offsets` and the steps of groups. */
import type { TopicPartition } from "../../src/replica/topic-partition.ts";
import type { Command } from "./stage.ts";
import { table } from "./tables.ts";

export const GROUP_COMMANDS: Readonly<Record<string, Command>> = {
  "groups describe <group> [--members] [--state]": async ({ stage, given, print }) => {
    const groupId = given.required("group");
    const { cluster } = stage;
    const group = await cluster.groups.describe(groupId);
    if (given.has("members"))
      return print(
        ...table(
          "GROUP CONSUMER-ID ASSIGNMENT PENDING REVOKING",
          group.members.map(({ memberId, assignment, pending, revoking }) => [
            ...[groupId, memberId],
            ...[assignment, pending, revoking].map(placesText),
          ]),
        ),
      );
    if (given.has("state")) {
      const { state, generation, members, rebalance, lastRebalance } = group;
      const facts = [groupId, state, generation, members.length, rebalance, lastRebalance?.reason];
      return print(...table("GROUP STATE GENERATION MEMBERS REBALANCE REASON", [facts]));
    }
    print(
      ...table(
        "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG",
        (await cluster.groups.committed({ groupId })).map(({ topic, partition, offset }) => {
          const end = cluster.visibleEnd({ topic, partition });
          return [groupId, topic, partition, offset, end, offset === null ? null : end - offset];
        }),
      ),
    );
  },
  "offsets commit <group> <place>": async ({ stage, given, print }) => {
    const groupId = given.required("group");
    const { topic, partition, offset } = offsetOf(given.required("place"));
    const offsets = [{ topic, partition, offset, metadata: null }];
    await stage.cluster.groups.commit({ groupId, member: null, offsets });
    print(`${groupId} goes on at offset ${offset} of ${topic} [${partition}]`);
  },
  "offsets get <group>": async ({ stage, given, print }) => {
    const groupId = given.required("group");
    const committed = await stage.cluster.groups.committed({ groupId });
    print(
      ...table(
        "GROUP TOPIC PARTITION OFFSET",
        committed.map(({ topic, partition, offset }) => [groupId, topic, partition, offset]),
      ),
    );
    if (committed.length === 0) print(`% the group ${groupId} has committed nothing`);
  },
  "step expire-members": async ({ stage, print }) => {
    const expired = await stage.cluster.groups.expireMembers();
    print(
      ...table(
        "GROUP CONSUMER-ID CAUSE",
        expired.map(({ groupId, memberId, cause }) => [groupId, memberId, cause]),
      ),
    );
    if (expired.length === 0) print("% every member was heard of within its session");
  },
};

/** `orders:0=5` */
export function offsetOf(text: string): TopicPartition & { readonly offset: number } {
  const [, topic = "", partition, offset] = /^([^:]+):(\d+)=(\d+)$/.exec(text) ?? [];
  if (topic === "") throw new Error(`${text} is no offset; expected topic:partition=offset`);
  return { topic, partition: Number(partition), offset: Number(offset) };
}

/** `orders(0,2)` */
export function placesText(places: readonly TopicPartition[]): string {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of places) byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition]);
  return [...byTopic].map(([topic, partitions]) => `${topic}(${partitions.join()})`).join();
}
