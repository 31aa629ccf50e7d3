import { expect, test } from "vitest";
import { shownEvent } from "./shown-event.ts";

test("an event is one line: number, time, kind, place, and its facts by name", () => {
  const when = { number: 17, time_ms: 1_700_000_000_000 };
  const start = "17 2023-11-14T22:13:20.000Z";
  const place = { topic: "orders", partition: 0 };
  const moves = [{ broker_id: 3, reason: "lag" }];
  expect(
    shownEvent({ ...when, kind: "isr_changed", ...place, from: [1, 2, 3], to: [], moves, leader: null }),
  ).toBe(`${start} isr_changed orders[0] from=1,2,3 to=- moves=[{"broker_id":3,"reason":"lag"}] leader=-`);
  expect(shownEvent({ ...when, kind: "flushed", ...place, broker_id: 2, bytes: 5 })).toBe(
    `${start} flushed orders[0]@2 bytes=5`,
  );
  expect(shownEvent({ ...when, kind: "topic_deleted", topic: "orders" })).toBe(
    `${start} topic_deleted orders`,
  );
  expect(shownEvent({ ...when, kind: "broker_stopped", broker_id: 2, clean: true })).toBe(
    `${start} broker_stopped @2 clean=true`,
  );
  expect(shownEvent({ ...when, kind: "events_dropped", count: 3 })).toBe(`${start} events_dropped - count=3`);
});

test("whatever an event holds, it stays one line of printable characters", () => {
  const shown = shownEvent({
    number: 1,
    time_ms: 2 ** 53 - 1,
    kind: "log_offline",
    problem: "two\nlines \u001b[31m",
  });
  expect(shown).toBe('1 9007199254740991 log_offline - problem="two\\nlines \\u001b[31m"');
});
