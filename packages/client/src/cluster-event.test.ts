import type { WatchedEvent } from "@minikafka/protocol";
import { expect, expectTypeOf, test } from "vitest";
import { type ClusterEvent, clusterEvent, type EventOf } from "./cluster-event.ts";

/** What a caller can read of an event once it has looked at the kind. */
function told(event: ClusterEvent): string {
  switch (event.kind) {
    case "isr_changed":
      return `${event.from.join()} to ${event.to.join()}: ${event.moves.map(({ brokerId }) => brokerId).join()}`;
    case "leader_changed":
      return `leader ${event.leaderId ?? "nobody"} in epoch ${event.leaderEpoch}`;
    case "config_altered":
      return Object.keys(event.changes).join();
    case "events_dropped":
      return `${event.count} from ${event.firstNumber} on`;
    default:
      return event.kind;
  }
}

const PLACE = { number: 3, time_ms: 7, topic: "orders", partition: 0 };

test.each<[WatchedEvent, string]>([
  [
    {
      ...PLACE,
      kind: "isr_changed",
      from: [1, 2],
      to: [1],
      leader_epoch: 0,
      high_watermark: 1,
      log_end_offset: null,
      moves: [{ broker_id: 2, reason: "lag_time", log_end_offset: 1 }],
    },
    "1,2 to 1: 2",
  ],
  [
    { ...PLACE, kind: "leader_changed", from: 1, leader_id: null, leader_epoch: 4 },
    "leader nobody in epoch 4",
  ],
  [{ ...PLACE, kind: "config_altered", changes: { retention_ms: 5 } }, "retention_ms"],
  [{ ...PLACE, kind: "events_dropped", count: 4, first_number: 2 }, "4 from 2 on"],
  [{ ...PLACE, kind: "of_a_newer_broker", some_fact: 1 }, "of_a_newer_broker"],
])("the kind of an event tells which facts it has: %j", (event, expected) => {
  expect(told(clusterEvent(event))).toBe(expected);
});

test("facts have the types of the protocol's table", () => {
  expectTypeOf<EventOf<"recovered">["problem"]>().toEqualTypeOf<string | null>();
  expectTypeOf<EventOf<"broker_stopped">["clean"]>().toEqualTypeOf<boolean>();
  expectTypeOf<EventOf<"high_watermark_moved">["inSyncReplicas"]>().toEqualTypeOf<readonly number[]>();
  expectTypeOf<EventOf<"leader_changed">["from"]>().toEqualTypeOf<number | null>();
  expectTypeOf<EventOf<"replicated">["batches"]>().toEqualTypeOf<number>();
});
