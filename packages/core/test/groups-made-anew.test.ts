/** A topic that is deleted and made anew under a group: its id tells the two apart. */
import { describe, expect, test } from "vitest";
import type { MemberView } from "../src/group/group-requests.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";
import { committedOf, GROUP, openGroups, orders, TestMember } from "./group-world.ts";
import { memoryWorld, rejection } from "./world.ts";

describe("a commit", () => {
  test("that says the id of a topic which was made anew is refused with all that goes with it, in the newest generation too", async () => {
    const cluster = await openGroups(memoryWorld());
    const a = new TestMember(cluster, "a");
    cluster.createTopic({ topic: "mail", partitions: 1 });
    const request = { groupId: GROUP, memberId: "a", topics: ["mail", "orders"] } as const;
    const old = await cluster.groups.join({ ...request, assignor: "roundrobin" });
    cluster.deleteTopic("orders");
    cluster.createTopic({ topic: "orders", partitions: 4 });
    const told = await cluster.groups.assignment({ groupId: GROUP, memberId: "a" });
    expect(told.generation).toBe(2);
    const offsetsOf = ({ assignment }: MemberView) =>
      assignment.map((place) => ({ ...place, offset: 7, metadata: null }));
    const [was, is] = [old, told].map(({ assignment }) => assignment[1]?.topicId);
    expect(was).not.toBe(is);
    const commit = async (view: MemberView) =>
      cluster.groups.commit({
        groupId: GROUP,
        member: { memberId: "a", generation: 2 },
        offsets: offsetsOf(view),
      });
    const refused = await rejection(commit(old));
    expect(refused).toMatchObject({
      code: "UNKNOWN_TOPIC",
      details: { topic: "orders", topic_id: is, topic_id_seen: was },
    });
    expect(await committedOf(cluster)).toEqual([]);
    await commit(told);
    expect(await committedOf(cluster)).toEqual(["mail:0=7", ...orders(0, 1, 2, 3).map(atSeven)]);
    await a.assignment();
    expect(await rejection(a.beat(old.assignment))).toMatchObject({
      code: "NOT_PARTITION_OWNER",
      details: { topic: "orders", partition: 0 },
    });
    expect(await a.beat(told.assignment)).toBe("@2 mail-0,0,1,2,3");
  });

  test("that is nobody's and says the id of a topic which was made anew is refused", async () => {
    const cluster = await openGroups(memoryWorld());
    const { topicId } = cluster.describeTopic("orders");
    const commit = () =>
      cluster.groups.commit({
        groupId: GROUP,
        member: null,
        offsets: [{ topic: "orders", partition: 0, offset: 3, metadata: null, topicId }],
      });
    await commit();
    expect(await committedOf(cluster)).toEqual(["orders:0=3"]);
    cluster.deleteTopic("orders");
    cluster.createTopic({ topic: "orders", partitions: 4 });
    expect(await rejection(commit())).toMatchObject({ code: "UNKNOWN_TOPIC" });
    expect(await committedOf(cluster)).toEqual([]);
  });
});

function atSeven({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}=7`;
}
