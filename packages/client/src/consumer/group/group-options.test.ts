import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { MemoryBroker } from "../../../test/support/memory-broker.ts";
import { connect } from "../../client.ts";
import { systemClock } from "../../clock.ts";
import type { ConsumerOptions } from "../consumer-options.ts";
import { groupSettings } from "./group-options.ts";

async function client() {
  return connect({ link: new MemoryBroker().peer.link });
}

test("an option that a consumer or a producer does not know is refused and named", async () => {
  const own = await client();
  const consumer = { groupId: "g", autocommit: false } as ConsumerOptions;
  expect(() => own.consumer(consumer)).toThrow(/a consumer has no "autocommit"; expected groupId, memberId/);
  const producer = { idempotence: true } as object;
  expect(() => own.producer(producer)).toThrow(/a producer has no "idempotence"; expected acks, batchBytes/);
  await own.close();
});

test("options of a group need one, and each has its bounds", async () => {
  const own = await client();
  const wrong: [ConsumerOptions, RegExp][] = [
    [{ autoCommit: false }, /autoCommit is for a consumer with a groupId/],
    [{ onRebalance: () => {} }, /onRebalance is for a consumer with a groupId/],
    [{ groupId: "" }, /groupId is ""; expected a name/],
    [{ groupId: "g", memberId: "" }, /memberId is ""; expected a name/],
    [{ groupId: "g", assignor: "uniform" as "range" }, /expected roundrobin, range, sticky/],
    [{ groupId: "g", sessionTimeoutMs: 0 }, /sessionTimeoutMs is 0; expected an integer from 1 to 3600000/],
    [{ groupId: "g", rebalanceTimeoutMs: -1 }, /rebalanceTimeoutMs is -1/],
    [
      { groupId: "g", sessionTimeoutMs: 3_000, heartbeatIntervalMs: 1_001 },
      /expected an integer from 1 to 1000/,
    ],
    [{ groupId: "g", autoCommitIntervalMs: 0 }, /autoCommitIntervalMs is 0/],
  ];
  for (const [options, message] of wrong)
    expect(() => own.consumer(options)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringMatching(message) }),
    );
  await own.close();
});

test("a member without a name gets one that no other has", async () => {
  const own = await client();
  const ids = [1, 2, 3].map(() => own.consumer({ groupId: "g" }).memberId);
  expect(new Set(ids).size).toBe(3);
  await own.close();
});

test("with the system's clock heartbeats and commits go by themselves", async () => {
  const own = await client();
  expect(own.clock).toBe(systemClock);
  expect(groupSettings({ groupId: "g" }, own)).toMatchObject({
    autoHeartbeat: true,
    autoCommit: true,
    autoCommitIntervalMs: 5_000,
    heartbeatIntervalMs: 3_000,
    sessionTimeoutMs: undefined,
    rebalanceTimeoutMs: undefined,
  });
  await own.close();
});

test.each([
  [{ topics: ["orders"] }, 'the topics are {"topics":["orders"]}; expected ["orders"]'],
  [undefined, 'the topics are undefined; expected ["orders"]'],
  [["orders", ""], 'a topic is ""; expected a name'],
  [[5], "a topic is 5; expected a name"],
  ["", 'a topic is ""; expected a name'],
])("a subscription to %j is refused with what was expected", async (topics, message) => {
  const own = await client();
  const refused = own.consumer({ groupId: "g" }).subscribe(topics as string[]);
  expect(await failure(refused)).toMatchObject({ code: "USAGE", message });
  await own.close();
});

test("what is assigned is an array", async () => {
  const own = await client();
  const assign = () => own.consumer().assign({ topic: "orders", partition: 0 } as never);
  expect(assign).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining("an array of") }),
  );
  await own.close();
});
