/** In auto mode the log of committed offsets stays as small as what is committed, without anybody asking. */
import { LIMITS } from "@minikafka/core";
import { expect, test } from "vitest";
import { openBroker } from "./support/broker.ts";

const PLACE = { topic: "__consumer_offsets", partition: 0 };
const OFFSETS = 1_000;

test("in auto mode committed offsets are compacted by themselves", async () => {
  const { cluster } = await openBroker({ clock: "auto", compaction_interval_ms: 10, start_time: undefined });
  cluster.createTopic({ topic: "orders", partitions: OFFSETS });
  // All in one log: the group's name says in which.
  const groupId = "billing";
  const sizeOf = (partition: number) => {
    const { segments } = cluster.describePartition({ ...PLACE, partition });
    return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  };
  let [written, offset] = [0, 0];
  while (written < 6 * LIMITS.internalTopicSegmentBytes) {
    const offsets = Array.from({ length: OFFSETS }, (_none, partition) => {
      return { topic: "orders", partition, offset, metadata: null };
    });
    await cluster.groups.commit({ groupId, member: null, offsets });
    offset += 1;
    written += OFFSETS * 180;
  }
  const sizes = () => [0, 1, 2, 3].reduce((sum, partition) => sum + sizeOf(partition), 0);
  // The last segment stays as it is; of those before it, one record of each key.
  const bound = 2 * LIMITS.internalTopicSegmentBytes;
  await expect.poll(sizes, { timeout: 30_000, interval: 5 }).toBeLessThan(bound);
  expect(
    await cluster.groups.committed({ groupId, partitions: [{ topic: "orders", partition: 7 }] }),
  ).toMatchObject([{ offset: offset - 1 }]);
});
