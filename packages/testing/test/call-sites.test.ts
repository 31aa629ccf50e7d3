/** What a call fails with later names the line of the test that has made it, and not what was on the stack when its time was over. */
import { expect, test } from "vitest";
import { startBroker, type TestBroker } from "../src/index.ts";

const CALLS: readonly (readonly [
  what: string,
  code: string,
  call: (broker: TestBroker) => Promise<unknown>,
])[] = [
  [
    "records whose time is over",
    "WAIT_TIMED_OUT",
    (broker) => broker.waitForRecords("orders", 1, { timeoutMs: 1 }),
  ],
  [
    "a group whose time is over",
    "WAIT_TIMED_OUT",
    (broker) => broker.waitForGroup("billing", { timeoutMs: 1 }),
  ],
  [
    "a condition whose time is over",
    "WAIT_TIMED_OUT",
    (broker) => broker.waitUntil("it", () => false, { timeoutMs: 1 }),
  ],
  ["a wait for nothing that can be", "USAGE", (broker) => broker.waitForRecords("orders", -1)],
  [
    "a wait with an option that there is not",
    "USAGE",
    (broker) => broker.waitForGroup("billing", { member: 1 } as object),
  ],
  [
    "a wait that takes no time that can be",
    "USAGE",
    (broker) => broker.waitUntil("it", () => false, { timeoutMs: -1 }),
  ],
  ["a real clock that is to be moved", "STEPPING_DISABLED", (broker) => broker.clock.advance(5)],
  [
    "a wait that the end of the broker ends",
    "CLOSED",
    async (broker) => {
      const waited = callFrom(broker, () => broker.waitForRecords("orders", 1));
      await Promise.all([waited, broker.close()]);
    },
  ],
  [
    "a wait that a reset ends",
    "CLOSED",
    async (broker) => {
      const waited = callFrom(broker, () => broker.waitForGroup("billing"));
      await Promise.all([waited, broker.reset()]);
    },
  ],
  [
    "a wait for a broker that is closed",
    "CLOSED",
    async (broker) => {
      await broker.close();
      await callFrom(broker, () => broker.waitForRecords("orders", 1));
    },
  ],
];

/** Stands for a line of a test. */
function callFrom(broker: TestBroker, call: (broker: TestBroker) => Promise<unknown>): Promise<unknown> {
  return call(broker);
}

test.for(CALLS)("%s fails with the stack of its call", async ([_what, code, call]) => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const problem: unknown = await callFrom(broker, call).catch((caught: unknown) => caught);
  expect(problem).toMatchObject({ code });
  const { name, message, stack = "" } = problem as Error;
  expect(stack.startsWith(`${name}: ${message}\n`)).toBe(true);
  const frames = stack.slice(name.length + message.length + 3).split("\n");
  expect(frames[0]).toContain("call-sites.test.ts");
  expect(frames.slice(0, 3).join()).toContain("callFrom");
});

test("what the test itself throws while something is waited for keeps the stack that it has", async () => {
  await using broker = await startBroker({ topics: { orders: 1 } });
  const own = new RangeError("mine");
  const { stack } = own;
  const waited = broker.waitUntil("it", () => {
    throw own;
  });
  await expect(waited).rejects.toBe(own);
  expect(own.stack).toBe(stack);
});
