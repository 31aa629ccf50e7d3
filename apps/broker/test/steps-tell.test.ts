/** Each step answers with what it did: whatever can be foretold of one, its answer has a field for. */
import { expect, test } from "vitest";
import type { PendingFields } from "../src/json/pending/pending-fields.ts";
import { base64, openBroker, Session } from "./support/broker.ts";
import { TransactionalSession } from "./support/transactions.ts";

type StepName = PendingFields["operation"];

const START_MS = 1_700_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const PLACE = { topic: "orders", partition: 0 };
const RECORD = { key_b64: base64("k"), value_b64: base64("v"), timestamp_ms: START_MS };

async function open(brokers: number, config: object = {}, settings: object = {}): Promise<Session> {
  const session = Session.open(await openBroker({ brokers, ...settings }));
  await session.call("create_topic", { topic: "orders", partitions: 1, replication_factor: brokers, config });
  await session.call("run_until_quiet");
  return session;
}

const produce = (session: Session, fields: object = {}) =>
  session.call("produce", { ...PLACE, records: [RECORD], acks: "1", ...fields });

async function withCommitted(): Promise<Session> {
  const session = await open(1, {}, { offsets_topic_partitions: 3 });
  await session.call("commit_offsets", { group_id: "g", offsets: [{ ...PLACE, offset: 0 }] });
  return session;
}

interface State {
  readonly what: string;
  readonly operation: StepName;
  /** Leads to it. */
  readonly reach: () => Promise<Session>;
  /** What the step must tell then. */
  readonly tells: object;
}

/** By step, so that none can be left out. */
const STATES: { readonly [Name in StepName]: readonly Omit<State, "operation">[] } = {
  replicate_once: [
    {
      what: "a follower copies",
      reach: async () => {
        const session = await open(3);
        await produce(session);
        return session;
      },
      tells: { copied: [{ broker_id: 2, batches: 1 }], heard: [] },
    },
    {
      what: "a follower only hears of the high watermark",
      reach: async () => {
        const session = await open(3);
        await produce(session);
        await session.call("replicate_once");
        return session;
      },
      tells: { copied: [], heard: [{ broker_id: 2, high_watermark: 1, leader_high_watermark: 1 }] },
    },
  ],
  refresh_isr: [
    {
      what: "followers lag",
      reach: async () => {
        const session = await open(3, {}, { replica_lag_time_ms: 500 });
        await produce(session);
        await session.call("advance_clock", { ms: 1001 });
        return session;
      },
      tells: { changed: [{ from: [1, 2, 3], to: [1] }] },
    },
  ],
  flush_logs: [
    {
      what: "records are not durable",
      reach: async () => {
        const session = await open(1);
        await produce(session);
        return session;
      },
      tells: { flushed: [{ ...PLACE, broker_id: 1, log_end_offset: 1 }], noted: [] },
    },
    {
      what: "what is visible is not noted",
      reach: async () => {
        const session = await open(3);
        await produce(session);
        for (let round = 0; round < 2; round++) await session.call("replicate_once");
        return session;
      },
      tells: { flushed: [{ broker_id: 1 }, { broker_id: 2 }, { broker_id: 3 }], noted: [1, 2, 3] },
    },
    {
      what: "no byte, but a new segment is not durable",
      reach: async () => {
        const session = await open(1);
        await produce(session);
        await session.call("flush_logs");
        await session.call("roll_segment", PLACE);
        return session;
      },
      tells: { flushed: [{ ...PLACE, log_end_offset: 1, bytes: 0 }], noted: [] },
    },
  ],
  expire_members: [
    {
      what: "partitions of groups are not in memory",
      reach: withCommitted,
      tells: { expired: [], loaded: [{ topic: "__consumer_offsets" }, { topic: "__consumer_offsets" }] },
    },
  ],
  expire_offsets: [
    {
      what: "partitions of groups are not in memory",
      reach: withCommitted,
      tells: { expired: [], loaded: [{ topic: "__consumer_offsets" }, { topic: "__consumer_offsets" }] },
    },
    {
      what: "a group has nothing left",
      reach: async () => {
        const session = await withCommitted();
        await session.call("run_until_quiet");
        const member = { group_id: "left", member_id: "m" };
        await session.call("join_group", { ...member, topics: ["orders"], assignor: "range" });
        await session.call("leave_group", member);
        return session;
      },
      tells: { expired: [], dying: ["left"], forgotten: [], loaded: [] },
    },
  ],
  expire_transactions: [
    {
      what: "partitions of transactions are not in memory",
      reach: async () => {
        const session = await open(1, {}, { transactions_topic_partitions: 2 });
        await TransactionalSession.open(session);
        return session;
      },
      tells: { aborted: [], loaded: [{ topic: "__transaction_state" }] },
    },
  ],
  expire_producers: [
    {
      what: "a producer is silent for a day",
      reach: async () => {
        const session = await open(1);
        const { producer_id, producer_epoch } = await session.call("init_producer");
        await produce(session, { producer_id, producer_epoch, base_sequence: 0 });
        await session.call("advance_clock", { ms: DAY_MS });
        return session;
      },
      tells: { expired: [{ ...PLACE, producer_ids: [0] }] },
    },
  ],
  apply_retention: [
    {
      what: "a segment is written for too long",
      reach: async () => {
        const config = {
          segment_ms: 1000,
          retention_ms: 100_000,
          message_timestamp_type: "LogAppendTime",
        };
        const session = await open(1, config);
        await produce(session);
        await session.call("run_until_quiet");
        await session.call("advance_clock", { ms: 2000 });
        return session;
      },
      tells: { closed: [{ ...PLACE, broker_id: 1, base_offset: 0, next_offset: 1 }], deleted: [] },
    },
  ],
  compact: [
    {
      what: "a segment is dirty",
      reach: async () => {
        const session = await open(1, { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 });
        await produce(session);
        await session.call("roll_segment", PLACE);
        await session.call("flush_logs");
        return session;
      },
      tells: { compacted: [PLACE] },
    },
  ],
};

const all = Object.entries(STATES).flatMap(([operation, states]) =>
  states.map((state): State => ({ operation: operation as StepName, ...state })),
);

test.each(all)("$operation, foretold since $what, tells what it did", async ({ operation, reach, tells }) => {
  const session = await reach();
  const { steps } = await session.call("pending_steps");
  const step = steps.find((each) => each.operation === operation);
  expect(step, `among ${JSON.stringify(steps)}`).toBeDefined();
  expect(step?.says).not.toMatch(/do nothing|\b0 bytes/);
  const answer = await session.call(operation, step?.fields ?? {});
  expect(answer).toMatchObject(tells);
  const told = Object.values(answer).flatMap((field) => (Array.isArray(field) ? field : []));
  expect(told).not.toEqual([]);
  const left = (await session.call("pending_steps")).steps;
  expect(left, "what was told is done").not.toContainEqual(step);
});
