/** A topic that is deleted and made anew under a member: what it had was another topic's. */
import { expect, test } from "vitest";
import { numbered, P0, P1, texts } from "../../../test/support/consuming.ts";
import { failure } from "../../../test/support/failure.ts";
import { grouping } from "../../../test/support/grouping.ts";
import type { Rebalance } from "./group-options.ts";

type Grouping = Awaited<ReturnType<typeof grouping>>;

/** Ten records and a partition without any; then, when `makeAnew` is called, others in a topic of the same name. */
async function reading(make: "automatic" | "member") {
  const world: Grouping = await grouping({ orders: 2 });
  world.broker.append("orders", 0, numbered(10));
  const told: Partial<Rebalance>[] = [];
  const consumer = await world[make]("a", {
    onRebalance: ({ generation, ...lists }) => {
      const some = Object.entries(lists).filter(([, places]) => places.length > 0);
      told.push({ generation, ...Object.fromEntries(some) });
    },
  });
  await consumer.subscribe(["orders"]);
  await consumer.ready();
  const makeAnew = () => {
    world.broker.delete("orders");
    world.broker.create("orders", 2);
    world.broker.append("orders", 0, numbered(20, 100));
  };
  return { ...world, consumer, told, makeAnew };
}

const MADE_ANEW = [
  { generation: 1, assigned: [P0, P1] },
  { generation: 2, lost: [P0, P1] },
  { generation: 2, assigned: [P0, P1] },
];

test("a member with records in hand loses them, is told so, and reads the new topic from its beginning", async () => {
  const { groups, consumer, told, makeAnew, pass, close } = await reading("automatic");
  await consumer.poll({ maxRecords: 4 });
  await consumer.poll({ maxRecords: 4 });
  makeAnew();
  await pass(6_000);
  expect(told).toEqual(MADE_ANEW);
  expect(groups.committed("g", "orders/0"), "where the new topic begins").toBe(0);
  expect(await failure(consumer.commit())).toMatchObject({
    code: "NOT_PARTITION_OWNER",
    details: { partitions: [P0] },
  });
  expect(texts(await consumer.poll())).toEqual(numbered(20, 100));
  await consumer.commit();
  expect(groups.committed("g", "orders/0")).toBe(20);
  await close();
});

test("so does one that has paused, though it has committed all that it read, and one that closes commits nothing of it", async () => {
  const { groups, consumer, makeAnew, pass, automatic, close } = await reading("automatic");
  consumer.pause();
  makeAnew();
  await pass(6_000);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["100", "101"]);
  expect(texts(await consumer.poll({ maxRecords: 2 }))).toEqual(["102", "103"]);
  makeAnew();
  await consumer.close();
  expect(groups.committed("g", "orders/0"), "of the newest topic").toBe(null);
  const next = await automatic("b");
  await next.subscribe(["orders"]);
  await next.ready();
  expect(texts(await next.poll())).toEqual(numbered(20, 100));
  await close();
});

test("nothing of the new topic is handed out at the old position, however early it is asked for", async () => {
  const { consumer, told, makeAnew, pass, close } = await reading("automatic");
  expect(texts(await consumer.poll())).toEqual(numbered(10));
  makeAnew();
  const polled = [...(await consumer.poll()), ...(await consumer.poll())];
  await pass(6_000);
  expect(told).toEqual(MADE_ANEW);
  polled.push(...(await consumer.poll()));
  expect(texts(polled), "from its beginning, whenever they came").toEqual(numbered(20, 100));
  await close();
});

test("an offset that the caller names for the records in hand is refused once their topic is another one, by whatever generation", async () => {
  const { groups, consumer, makeAnew, pass, close } = await reading("automatic");
  await consumer.poll({ maxRecords: 4 });
  makeAnew();
  expect(await failure(consumer.commit([{ ...P0, offset: 4 }]))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  await pass(6_000);
  expect(await failure(consumer.commit([{ ...P0, offset: 4 }]))).toMatchObject({ code: "UNKNOWN_TOPIC" });
  expect(groups.committed("g", "orders/0"), "where the new topic begins").toBe(0);
  await consumer.poll({ maxRecords: 3 });
  await consumer.commit([{ ...P0, offset: 3 }]);
  expect(groups.committed("g", "orders/0")).toBe(3);
  await close();
});

test("a stepped member is told by its next heartbeat, and other topics keep their place", async () => {
  const { broker, groups, consumer, told, makeAnew, close } = await reading("member");
  broker.create("mail", 1);
  broker.append("mail", 0, numbered(3, 50));
  await consumer.subscribe(["orders", "mail"]);
  await consumer.ready();
  expect(texts(await consumer.poll())).toEqual([...numbered(10), ...numbered(3, 50)]);
  await consumer.commit();
  told.length = 0;
  makeAnew();
  await consumer.heartbeat();
  expect(told).toEqual([
    { generation: 3, lost: [P0, P1] },
    { generation: 3, assigned: [P0, P1] },
  ]);
  expect(texts(await consumer.poll())).toEqual(numbered(20, 100));
  expect(groups.committed("g", "mail/0")).toBe(3);
  await close();
});
