import { ManualClock, type TraceEvent } from "@minikafka/core";
import { expect, test } from "vitest";
import { EventFeed, type NumberedEvent } from "./event-feed.ts";

const stopped = (brokerId: number): TraceEvent => ({ kind: "broker_stopped", brokerId, clean: true });

test("events are numbered whether or not anybody watches, and carry the clock's time", () => {
  const clock = new ManualClock(5);
  const feed = new EventFeed(clock);
  const seen: NumberedEvent[] = [];
  feed.trace(stopped(1));
  const leave = feed.add({
    wants: (event) => event !== unwanted,
    take: (event) => seen.push(event),
  });
  const unwanted = stopped(2);
  feed.trace(unwanted);
  clock.advance(2);
  feed.trace(stopped(3));
  leave();
  feed.trace(stopped(4));
  expect(seen.map(({ line }) => JSON.parse(line))).toEqual([
    { event: { number: 3, time_ms: 7, kind: "broker_stopped", broker_id: 3, clean: true } },
  ]);
  expect(feed.size).toBe(0);
});

test("names become the wire's, also within lists; values and names that are data stay as they are", () => {
  const feed = new EventFeed(new ManualClock());
  const lines: unknown[] = [];
  feed.add({ wants: () => true, take: ({ line }) => lines.push(JSON.parse(line).event) });
  feed.trace({ kind: "config_altered", topic: "T", changes: { retention_ms: 5, cleanup_policy: null } });
  const moves = [{ brokerId: 2, reason: "Lag", logEndOffset: null }];
  const place = { topic: "T", partition: 0, leaderEpoch: 1, highWatermark: 4 };
  feed.trace({ kind: "isr_changed", ...place, from: [1, 2], to: [1], logEndOffset: 9, moves });
  expect(lines).toEqual([
    {
      number: 1,
      time_ms: 0,
      kind: "config_altered",
      topic: "T",
      changes: { retention_ms: 5, cleanup_policy: null },
    },
    {
      ...{ number: 2, time_ms: 0, kind: "isr_changed", topic: "T", partition: 0 },
      ...{ from: [1, 2], to: [1], leader_epoch: 1, high_watermark: 4, log_end_offset: 9 },
      moves: [{ broker_id: 2, reason: "Lag", log_end_offset: null }],
    },
  ]);
});

test("a listener hears what happens as it happens, until it has enough", () => {
  const feed = new EventFeed(new ManualClock());
  const heard: TraceEvent[] = [];
  const leave = feed.listen((event) => heard.push(event));
  feed.trace(stopped(1));
  feed.countRequest();
  leave();
  feed.trace(stopped(2));
  expect(heard).toEqual([stopped(1)]);
  expect(feed.size).toBe(0);
});
