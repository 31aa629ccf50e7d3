/** A broker that ends while a long history is made once more: it does not wait for all of it, and what was there before is there. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import type { Broker } from "../src/daemon.ts";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };
/** Each is a turn at least when it is made once more, in memory and again in the folder. */
const REQUESTS = 400;
const FEW_TURNS = 40;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** How many turns of the event loop `work` takes. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  for (; !isOver; turns += 1) await turn();
  return turns;
}

/** A snapshot with one record after a long history, and one record more since. */
async function opened(graceMs?: number) {
  const disk = new MemoryDisk();
  const broken: Error[] = [];
  const onBroken = (error: Error) => broken.push(error);
  const options = graceMs === undefined ? { onBroken } : { onBroken, graceMs };
  const broker = await openBroker({}, disk, (ended) => ended.kill(), options);
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("produce", { ...PLACE, value_b64: base64("a") });
  for (let request = 0; request < REQUESTS; request += 1) await session.call("list_topics");
  await session.call("save_snapshot", { name: "kept" });
  await session.call("produce", { ...PLACE, value_b64: base64("b") });
  return { disk, broker, session, broken };
}

async function expectAllOfBefore(disk: MemoryDisk): Promise<void> {
  const session = Session.open(await openBroker({}, disk));
  const { records } = await session.call("fetch", { ...PLACE, offset: 0 });
  expect((records ?? []).map(({ value_b64 }) => value_b64)).toEqual([base64("a"), base64("b")]);
}

/** Resolves in the middle of the second time that all is carried out, in the folder. */
async function inTheFolder(broker: Broker, began: () => Promise<void>): Promise<void> {
  const { cluster } = broker;
  await began();
  while (broker.cluster === cluster) await turn();
  for (let turns = 0; turns < 10; turns += 1) await turn();
}

const ENDS: readonly [string, (broker: Broker) => Promise<void>][] = [
  ["kill", (broker) => broker.kill()],
  ["close", (broker) => broker.close()],
];

test.each(ENDS)(
  "a %s while a load is tried out in memory ends both within a few turns",
  async (_how, end) => {
    const { disk, broker, session, broken } = await opened();
    session.request({ operation: "load_snapshot", name: "kept" });
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(await turnsOf(end(broker))).toBeLessThan(FEW_TURNS);
    expect(broken).toEqual([]);
    await expectAllOfBefore(disk);
  },
);

test("who has asked for the load is told that the broker stops, and that nothing is changed", async () => {
  const { broker, session } = await opened();
  const loaded = session.ask({ operation: "load_snapshot", name: "kept" });
  for (let turns = 0; turns < 20; turns += 1) await turn();
  void broker.close();
  expect(await loaded).toMatchObject({
    code: "SHUTTING_DOWN",
    message: expect.stringContaining("nothing is changed"),
  });
});

test("a comparison of states is given up as well", async () => {
  const { broker, session } = await opened();
  const compared = session.ask({ operation: "diff_snapshots", from: "kept" });
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(await turnsOf(broker.close())).toBeLessThan(FEW_TURNS);
  expect(await compared).toMatchObject({ code: "SHUTTING_DOWN" });
});

test("a kill while a load is carried out in the folder ends both within a few turns", async () => {
  const { disk, broker, session, broken } = await opened();
  await inTheFolder(broker, async () => session.request({ operation: "load_snapshot", name: "kept" }));
  expect(await turnsOf(broker.kill())).toBeLessThan(FEW_TURNS);
  expect(broken).toEqual([]);
  await expectAllOfBefore(disk);
});

test("a close while a load is carried out in the folder waits for it no longer than its grace", async () => {
  const { disk, broker, session, broken } = await opened(0);
  await inTheFolder(broker, async () => session.request({ operation: "load_snapshot", name: "kept" }));
  const answer = session.answer();
  await broker.close();
  expect(await answer).toMatchObject({
    code: "SHUTTING_DOWN",
    message: expect.stringContaining("the next start has the state from before"),
  });
  expect(broken).toEqual([]);
  await expectAllOfBefore(disk);
});
