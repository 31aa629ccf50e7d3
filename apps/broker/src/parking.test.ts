import { ManualClock } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";
import { Parking, type TopicPartition, type Wait } from "./parking.ts";

const ORDERS_0 = { topic: "orders", partition: 0 };
const ORDERS_1 = { topic: "orders", partition: 1 };

function lot() {
  const listeners = new Map<() => void, TopicPartition>();
  const clock = new ManualClock();
  const deadlines = Deadlines.ofSteppedTime(clock);
  const visibility = {
    onVisible(place: TopicPartition, listener: () => void) {
      if (place.topic !== "orders") throw new Error("no such topic");
      // Each registration is one of its own, also with the same listener.
      const registered = () => listener();
      listeners.set(registered, place);
      return () => listeners.delete(registered);
    },
  };
  const holder = { waits: new Set<Wait>() };
  const parking = new Parking(visibility, deadlines);
  return {
    parking,
    holder,
    listeners,
    deadlines,
    append: (partition: number) => {
      for (const [listener, place] of listeners) if (place.partition === partition) listener();
    },
    advance: (ms: number) => {
      clock.advance(ms);
      deadlines.fireDue();
    },
    left: () => ({
      listeners: listeners.size,
      deadlines: deadlines.size,
      parked: parking.size,
      held: holder.waits.size,
    }),
  };
}

const NOTHING = { listeners: 0, deadlines: 0, parked: 0, held: 0 };

test("a wait on several partitions is woken by any of them, again and again", async () => {
  const { parking, holder, append, left } = lot();
  const wait = parking.park([ORDERS_0, ORDERS_1], 100, holder);
  for (const partition of [0, 1, 1]) {
    const next = wait.next();
    append(partition);
    await next;
    expect(wait.isOver).toBe(false);
  }
  wait.end();
  expect(left()).toEqual(NOTHING);
});

test("an append between two looks is not lost, and two of them wake once", async () => {
  const { parking, holder, append } = lot();
  const wait = parking.park([ORDERS_0], 100, holder);
  append(0);
  append(0);
  await wait.next();
  let woken = false;
  const second = wait.next().then(() => {
    woken = true;
  });
  await Promise.resolve();
  expect(woken).toBe(false);
  append(0);
  await second;
});

test("a wait is over when its time is up on the clock, and gives everything back", async () => {
  const { parking, holder, advance, left } = lot();
  const wait = parking.park([ORDERS_0, ORDERS_1], 100, holder);
  const next = wait.next();
  advance(99);
  expect(wait.isOver).toBe(false);
  advance(1);
  await next;
  expect(wait.isOver).toBe(true);
  await wait.next();
  expect(left()).toEqual(NOTHING);
});

test("a wait whose holder goes away gives everything back at once", async () => {
  const { parking, holder, left } = lot();
  const wait = parking.park([ORDERS_0], 100, holder);
  const next = wait.next();
  for (const held of [...holder.waits]) held.end();
  expect(left()).toEqual(NOTHING);
  await next;
});

test("a partition that does not exist leaves nothing behind", () => {
  const { parking, holder, left } = lot();
  expect(() => parking.park([ORDERS_0, { topic: "nope", partition: 0 }], 100, holder)).toThrow(
    "no such topic",
  );
  expect(left()).toEqual(NOTHING);
});

test("ending all waits answers them all", async () => {
  const { parking, holder, left } = lot();
  const waits = [1, 2, 3].map(() => parking.park([ORDERS_0], 100, holder));
  const all = Promise.all(waits.map((wait) => wait.next()));
  parking.endAll();
  await all;
  expect(left()).toEqual(NOTHING);
});
