import { expect, test } from "vitest";
import { Session } from "./support/broker.ts";
import { KafkaClient, openKafkaBroker } from "./support/kafka-client.ts";

const GROUP = "billing";

test("a negative offset is kept and told as it is, in every version, and JSON's clients see that nothing is committed", async () => {
  const broker = await openKafkaBroker();
  broker.cluster.createTopic({ topic: "orders", partitions: 2 });
  const client = await KafkaClient.open(broker);
  const committed = async (version: number, offsets: readonly number[]) => {
    const partitions = offsets.map((committedOffset, partitionIndex) => {
      return { partitionIndex, committedOffset, committedMetadata: null };
    });
    const topics = [{ name: "orders", partitions }];
    const answer = await client.ask("OffsetCommit", version, { groupId: GROUP, topics });
    expect(answer.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([0, 0]);
    const asked = { groupId: GROUP, topics: [{ name: "orders", partitionIndexes: [0, 1] }] };
    const found = await client.ask("OffsetFetch", 7, asked);
    return found.topics?.[0]?.partitions.map(({ committedOffset }) => committedOffset);
  };
  const json = Session.open(broker);
  for (let version = 2; version <= 9; version += 1) {
    expect(await committed(version, [5, 5])).toEqual([5, 5]);
    expect(await committed(version, [-2, -1])).toEqual([-2, -1]);
    const { offsets } = await json.call("fetch_offsets", { group_id: GROUP });
    expect(offsets.map(({ partition, offset }) => [partition, offset])).toEqual([
      [0, null],
      [1, null],
    ]);
  }
});
