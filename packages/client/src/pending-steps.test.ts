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
    did: {},
    problem: null,
  };
  request.answer({ steps: [taken], quiet: true });
  expect(await run).toEqual({ steps: [taken], quiet: true });
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
