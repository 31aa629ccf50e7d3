/** What is pending, as the Stepper asks for it and takes it. */
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";

async function stepping() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  return { peer, client, stepper: client.stepper() };
}

const EXPIRED = [{ group_id: "g", member_id: "m", cause: "session_timeout" as const }];
const EXPIRY = {
  operation: "expire_members" as const,
  fields: {},
  would: { expired: EXPIRED, rebalanced: [], loads: [] },
  says: "it would expire m of g (session_timeout)",
};
const DEADLINE = {
  due_at_ms: 1500,
  what: "session_timeout" as const,
  operation: "expire_members",
  group_id: "g",
  member_id: "m",
};

test("next tells the steps, what each would do, and when time brings more", async () => {
  const { peer, client, stepper } = await stepping();
  const next = stepper.next({ topic: "orders" });
  const request = await peer.next("pending_steps");
  expect(request.fields).toMatchObject({ topic: "orders" });
  request.answer({ now_ms: 1000, steps: [EXPIRY], deadlines: [DEADLINE] });
  expect(await next).toEqual({
    nowMs: 1000,
    steps: [
      {
        operation: "expire_members",
        fields: {},
        would: {
          expired: [{ groupId: "g", memberId: "m", cause: "session_timeout" }],
          rebalanced: [],
          loads: [],
        },
        says: EXPIRY.says,
      },
    ],
    deadlines: [
      { dueAtMs: 1500, what: "session_timeout", operation: "expire_members", groupId: "g", memberId: "m" },
    ],
  });
  await client.close();
});

test("runUntilQuiet says what each step did, and takes no more than it may", async () => {
  const { peer, client, stepper } = await stepping();
  const run = stepper.runUntilQuiet({ maxSteps: 3 });
  const request = await peer.next("run_until_quiet");
  expect(request.fields).toMatchObject({ max_steps: 3 });
  const taken = {
    operation: "flush_logs" as const,
    fields: {},
    outcome: "done" as const,
    did: { flushed: [], noted: [2] },
    problem: null,
  };
  request.answer({ steps: [taken], quiet: true, unquiet: [] });
  expect(await run).toEqual({ steps: [taken], quiet: true, unquiet: [] });
  await client.close();
});

test("advanceToNextDeadline moves the clock by what is left to the earliest, and not at all where there is none", async () => {
  const { peer, client, stepper } = await stepping();
  const moved = stepper.advanceToNextDeadline();
  (await peer.next("pending_steps")).answer({ now_ms: 1000, steps: [], deadlines: [DEADLINE] });
  const request = await peer.next("advance_clock");
  expect(request.fields).toMatchObject({ ms: 500 });
  request.answer({ now_ms: 1500 });
  expect(await moved).toMatchObject({ dueAtMs: 1500, what: "session_timeout" });
  const none = stepper.advanceToNextDeadline();
  (await peer.next("pending_steps")).answer({ now_ms: 1500, steps: [], deadlines: [] });
  expect(await none).toBeNull();
  await client.close();
});

test("advanceToNextDeadline goes a way of years in moves of 366 days at most, and none of more than a century", async () => {
  const { peer, client, stepper } = await stepping();
  const mostMs = 366 * 24 * 60 * 60 * 1000;
  const moved = stepper.advanceToNextDeadline();
  const due_at_ms = 1000 + 2 * mostMs + 5;
  const far = { due_at_ms, what: "retention" as const, operation: "apply_retention", topic: "orders" };
  (await peer.next("pending_steps")).answer({ now_ms: 1000, steps: [], deadlines: [far] });
  for (const ms of [mostMs, mostMs, 5]) {
    const request = await peer.next("advance_clock");
    expect(request.fields).toMatchObject({ ms });
    request.answer({ now_ms: 0 });
  }
  expect(await moved).toMatchObject({ dueAtMs: due_at_ms });
  const none = stepper.advanceToNextDeadline();
  const never = { ...far, due_at_ms: 101 * mostMs };
  (await peer.next("pending_steps")).answer({ now_ms: 0, steps: [], deadlines: [never] });
  expect(await none).toBeNull();
  await client.close();
});

test("what cannot be meant is refused with USAGE, and nothing is sent", async () => {
  const { client, stepper } = await stepping();
  const wrong = (value: unknown) => value as never;
  for (const asked of ["nosuch", null, { topics: ["orders"] }, { tpoic: "orders" }, { topic: 7 }]) {
    await expect(stepper.next(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
    await expect(stepper.applyRetention(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
    await expect(stepper.compact(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
    await expect(stepper.replicateOnce(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
    await expect(stepper.refreshIsr(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
  }
  for (const asked of ["quiet", { maxStep: 1 }, { maxSteps: 0 }, { maxSteps: "1" }])
    await expect(stepper.runUntilQuiet(wrong(asked))).rejects.toMatchObject({ code: "USAGE" });
  for (const query of ["orders", { topic: "orders" }, { topics: "orders" }, { kinds: "appended" }])
    expect(() => stepper.events(wrong(query))).toThrow(expect.objectContaining({ code: "USAGE" }));
  await expect(stepper.next(wrong({ tpoic: "orders" }))).rejects.toThrow(
    'next has no "tpoic"; expected topic, timeoutMs, signal',
  );
  await client.close();
});
