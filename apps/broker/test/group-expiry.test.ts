/** In auto mode the ticker looks after groups; with freeze_groups nobody does. */
import { expect, test } from "vitest";
import { openBroker } from "./support/broker.ts";

const MEMBER = { groupId: "g", memberId: "a", topics: ["orders"], assignor: "roundrobin" } as const;

async function withMember(settings: object) {
  const { cluster } = await openBroker({ clock: "auto", start_time: undefined, ...settings });
  cluster.createTopic({ topic: "orders", partitions: 2 });
  await cluster.groups.join({ ...MEMBER, sessionTimeoutMs: 100 });
  return cluster;
}

test("in auto mode a silent member is expired by itself; frozen groups wait for the step", async () => {
  const frozen = await withMember({ freeze_groups: true, data: "/frozen" });
  const cluster = await withMember({});
  const stateIn = async (each: typeof cluster) => (await each.groups.describe("g")).state;
  await expect.poll(() => stateIn(cluster), { timeout: 10_000, interval: 5 }).toBe("empty");
  expect(await stateIn(frozen)).toBe("stable");
  expect(await frozen.groups.expireMembers()).toEqual([
    { groupId: "g", memberId: "a", cause: "session_timeout" },
  ]);
});
