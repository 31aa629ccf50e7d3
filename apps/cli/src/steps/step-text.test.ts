import { expect, test } from "vitest";
import { deadlineText, didText, stepCommand } from "./step-text.ts";

const round = { topic: "orders", partition: 0, broker_id: 2 };

test("a step is shown as one would type it", () => {
  expect(stepCommand({ operation: "replicate_once", fields: round })).toBe(
    "replicate orders -p 0 --replica 2",
  );
  expect(stepCommand({ operation: "refresh_isr", fields: { topic: "orders", partition: 1 } })).toBe(
    "isr orders -p 1",
  );
  expect(stepCommand({ operation: "apply_retention", fields: { topic: "orders" } })).toBe("retention orders");
  expect(stepCommand({ operation: "expire_members", fields: {} })).toBe("expire-members");
});

test("what a step did is told in short, and why it did not", () => {
  const copied = [{ ...round, batches: 2, bytes: 160, truncated_to: 3, problem: null }];
  const taken = { operation: "replicate_once", fields: round, outcome: "done", problem: null } as const;
  expect(didText({ ...taken, did: { copied, heard: [] } })).toBe("cut to 3; 2 batches, 160 bytes");
  const heard = [
    { ...round, log_start_offset: 0, log_end_offset: 5, high_watermark: 4, leader_high_watermark: 5 },
  ];
  expect(didText({ ...taken, did: { copied: [], heard } })).toBe(
    "heard of high watermark 4; its leader knows that it ends at 5",
  );
  const problem = { code: "STORAGE_ERROR", message: "a damaged batch" };
  expect(didText({ ...taken, outcome: "failed", did: null, problem })).toBe("STORAGE_ERROR: a damaged batch");
  expect(didText({ ...taken, outcome: "waits", did: null })).toBeNull();
});

const loaded = [
  { topic: "__consumer_offsets", partition: 0 },
  { topic: "__consumer_offsets", partition: 2 },
];
const segment = { ...round, base_offset: 0, next_offset: 7, size_bytes: 90 };

test.each([
  ["apply_retention", { closed: [segment], deleted: [] }, "closed 0 to 7 on 2"],
  [
    "flush_logs",
    { flushed: [{ ...round, log_end_offset: 7, bytes: 1 }], noted: [] },
    "1 byte of 1 log are durable",
  ],
  [
    "flush_logs",
    { flushed: [{ ...round, log_end_offset: 7, bytes: 0 }], noted: [1, 2] },
    "files and segments of 1 log are durable; noted high watermarks on broker 1, 2",
  ],
  ["expire_members", { expired: [], rebalanced: [], loaded }, "loaded 2 partitions of __consumer_offsets"],
  [
    "expire_members",
    { expired: [], rebalanced: [{ group_id: "g", reason: "orders has grown" }], loaded: [] },
    "rebalanced g (orders has grown)",
  ],
  [
    "expire_offsets",
    { expired: [], dying: ["g"], forgotten: ["h"], loaded: [] },
    "ended the empty groups g; forgot the dead groups h",
  ],
  [
    "expire_transactions",
    { aborted: [], completed: [], forgotten: [], failed: [], repaired: [], loaded: loaded.slice(1) },
    "loaded 1 partition of __consumer_offsets",
  ],
  [
    "compact",
    { compacted: [], gave_way: [{ ...round, gave_way_to: "replicas", waits_for: [3], passes: 0 }] },
    "gave way to replicas on 2",
  ],
])("a %s that did no more than %j says so", (operation, did, text) => {
  const taken = { operation, fields: {}, outcome: "done", problem: null, did };
  expect(didText(taken as Parameters<typeof didText>[0])).toBe(text);
});

test("a deadline is told by what comes, of whom, and in how long", () => {
  const session = { due_at_ms: 7000, what: "session_timeout", operation: "expire_members" } as const;
  expect(deadlineText({ ...session, group_id: "g", member_id: "m" }, 1000)).toBe(
    "session_timeout of m of g, 6s on",
  );
  const retention = { due_at_ms: 7000, what: "retention", operation: "apply_retention", ...round } as const;
  expect(deadlineText(retention, 6999)).toBe("retention of orders-0 on 2, 1ms on");
  expect(deadlineText({ due_at_ms: 500, what: "long_poll", operation: null }, 0)).toBe("long_poll, 500ms on");
  const fetch = { due_at_ms: 500, what: "long_poll", operation: null, request: "fetch" } as const;
  expect(deadlineText({ ...fetch, topic: "orders", partition: 0 }, 0)).toBe(
    "long_poll of fetch of orders-0, 500ms on",
  );
  const answer = { due_at_ms: 500, what: "answer", operation: null, group_id: "g" } as const;
  expect(deadlineText(answer, 0)).toBe("answer of g, 500ms on");
  const producer = { due_at_ms: 500, what: "producer_expiration", operation: "expire_producers" } as const;
  expect(deadlineText({ ...producer, producer_id: 0, topic: "orders", partition: 0 }, 0)).toBe(
    "producer_expiration of producer 0 of orders-0, 500ms on",
  );
  expect(deadlineText({ ...retention, due_at_ms: 96_622_329_321 }, 0)).toBe(
    "retention of orders-0 on 2, 1118d7h32m9.321s on",
  );
});

test("a step that failed in a part of it tells that, and one batch is one", () => {
  const taken = { operation: "replicate_once", fields: round, problem: null } as const;
  const one = { ...round, batches: 1, bytes: 80, truncated_to: null, problem: null };
  expect(didText({ ...taken, outcome: "done", did: { copied: [one], heard: [] } })).toBe("1 batch, 80 bytes");
  const failed = { ...one, batches: 0, bytes: 0, problem: "broker 3 has failed" };
  expect(didText({ ...taken, outcome: "failed", did: { copied: [failed], heard: [] } })).toBe(
    "broker 3 has failed",
  );
});
