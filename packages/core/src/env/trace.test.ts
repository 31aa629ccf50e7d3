import { expect, test } from "vitest";
import { noTrace, TraceCollector } from "./trace.ts";

const CREATED = { kind: "topic_created", topic: "orders", partitions: 2, replicationFactor: 1 } as const;
const DELETED = { kind: "topic_deleted", topic: "orders", partitions: 2 } as const;

test("a collector keeps every event in order, and finds those of a kind with their fields", () => {
  const { trace, events } = new TraceCollector();
  trace(CREATED);
  trace(DELETED);
  expect(events).toEqual([CREATED, DELETED]);
});

test("a collector finds the events of one kind with that kind's fields, and forgets when told", () => {
  const collector = new TraceCollector();
  for (const event of [CREATED, DELETED, CREATED]) collector.trace(event);
  expect(collector.of("topic_created").map(({ replicationFactor }) => replicationFactor)).toEqual([1, 1]);
  expect(collector.of("appended")).toEqual([]);
  collector.clear();
  expect(collector.events).toEqual([]);
});

test("nobody has to listen", () => {
  expect(noTrace(CREATED)).toBeUndefined();
});
