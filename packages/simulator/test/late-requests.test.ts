/** What arrives when its client has long given it up takes effect all the same, and a run is not over before. */
import { expect, test } from "vitest";
import { judged } from "../src/run/campaign.ts";
import type { ClientShape, Shape } from "../src/shape/shape.ts";

const COPIES = { topic: "copies", partitions: 2, replicationFactor: 1, config: { min_insync_replicas: 1 } };

function consumer(name: string): ClientShape {
  const times = { sessionTimeoutMs: 185, rebalanceTimeoutMs: 269 };
  const membership = { groupId: "readers", topics: ["copies"], assignor: "sticky", ...times } as const;
  return { kind: "consumer", name, isolation: "read_uncommitted", membership };
}

const SHAPE: Shape = {
  brokers: 1,
  config: { flush: "ack" },
  topics: [COPIES],
  laterTopics: [],
  allowsUnclean: false,
  clients: [consumer("one"), consumer("late")],
  network: { delayMsMax: 0, lossPermille: 0 },
  fates: ["kept"],
  focus: "everything",
  weights: {},
  replicateEveryMs: null,
  acts: 1,
};

test("a join that arrives when its client has given it up makes a member, and the run waits until its group has settled", async () => {
  // Clients wait half a second.
  const script = [{ atMs: 10, luck: 1, kind: "stall", client: "late", forMs: 560 }] as const;
  const { violation, world } = await judged({ seed: 1, shape: SHAPE, script });
  expect(violation).toBeNull();
  const [given] = world.recorder.operations.filter(
    ({ kind, client }) => kind === "join" && client === "late",
  );
  expect(given?.ended).toMatchObject({ outcome: "unknown", code: "CONNECTION_LOST" });
  const { nowMs } = world.timeline;
  expect(world.network.lateUntilMs).toBeGreaterThan(given?.ended?.atMs ?? nowMs);
  expect(nowMs).toBeGreaterThan(world.network.lateUntilMs);
  expect(world.witness.counts.get("member_joined")).toBe(2);
});
