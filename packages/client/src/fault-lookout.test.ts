/** A watch for a fault that does not last: its broker is there all the same, or it is not, and who waits is told so in his time. */
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { isRequest, quiet, ScriptedPeer, type SeenRequest } from "../test/support/scripted-peer.ts";
import { BrokerClock, clockOfConnections } from "./broker-clock.ts";
import { connect } from "./client.ts";
import { ManualClock, systemClock } from "./clock.ts";

type Answer = (request: SeenRequest) => void;

/** Armed at a broker that does the same at each watch, and at each question how often a fault has acted. */
async function armed(action: "close" | "crash") {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock });
  const order = { point: "request.watch", action };
  const arming = client.faults().arm(order);
  const watch = action === "crash" ? await peer.next("watch") : null;
  watch?.answer({});
  const request = await peer.next("arm_fault");
  request.answer({ rule_id: 3 });
  const rule = await arming;
  const counts = { fired: 0 };
  const seen = { watches: 0, lists: 0 };
  const listed = () => {
    const { mark } = request.fields;
    return { rule_id: 3, ...order, times: "once" as const, mark, hits: counts.fired, held: 0, ...counts };
  };
  const says: Answer = (asked) => {
    if (isRequest(asked, "list_faults")) asked.answer({ points: [], rules: [listed()] });
  };
  const answers = ({ watch, list }: { watch: Answer; list: Answer }) =>
    peer.handle((asked) => {
      const { operation } = asked.fields;
      if (operation === "watch") seen.watches += 1;
      if (operation === "list_faults") seen.lists += 1;
      if (operation === "watch") watch(asked);
      else list(asked);
      return true;
    });
  const loseWatch = async () => {
    watch?.hangUp();
    await quiet();
  };
  const pass = async (ms: number) => {
    await quiet();
    const stepMs = Math.max(10, ms / 100);
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(stepMs);
      await quiet();
    }
  };
  return { peer, clock, client, rule, counts, seen, says, answers, loseWatch, pass };
}

const GONE =
  "nobody can tell any more how often the fault 3 (close at request.watch) acted, since its broker has gone";
const hangsUp: Answer = (request) => request.hangUp();
const isSilent: Answer = () => undefined;
/** As a middleman that lets the answer through, and no more. */
const opensAndHangsUp: Answer = (request) => {
  if (isRequest(request, "watch")) request.answer({});
  request.hangUp();
};

test.each([
  ["opened and lost", opensAndHangsUp],
  ["closed before it is open", hangsUp],
])(
  "a watch that is %s each time is taken anew with a pause, and what its fault has done is asked for",
  async (_how, watch) => {
    const { client, rule, counts, seen, says, answers, pass } = await armed("close");
    answers({ watch, list: says });
    let isOver = false;
    const fired = rule.whenFired().then(() => {
      isOver = true;
    });
    await quiet();
    expect(seen.watches).toBe(2);
    await pass(10_000);
    expect([isOver, seen.watches > 8, seen.watches < 20]).toEqual([false, true, true]);
    counts.fired = 1;
    await pass(1_000);
    await fired;
    await client.close();
  },
);

test.each([
  ["close", "whenFired"],
  ["crash", "whenFired"],
  ["crash", "assertFired"],
] as const)(
  "a watch that a fault has closed before it was open is opened again at once: a %s, asked for by %s",
  async (action, asked) => {
    const { client, rule, counts, seen, says, answers, loseWatch } = await armed(action);
    counts.fired = 1;
    answers({
      watch: (request) =>
        seen.watches === 1 ? request.hangUp() : isRequest(request, "watch") && request.answer({}),
      list: says,
    });
    await loseWatch();
    await rule[asked]();
    await client.close();
  },
);

test.each(["close", "crash"] as const)(
  "of a broker that ends while the watch for a %s is opened again nobody waits long",
  async (action) => {
    const { peer, client, rule, answers, loseWatch, pass } = await armed(action);
    answers({
      watch: (request) => {
        peer.refuseLinks(new Error("connect ECONNREFUSED"));
        request.hangUp();
      },
      list: isSilent,
    });
    await loseWatch();
    const said = action === "crash" ? "was not seen to act before its broker went" : GONE;
    const UNSEEN = { code: "CONNECTION", message: expect.stringContaining(said) };
    const fired = failure(rule.whenFired());
    await pass(50);
    expect(await fired).toMatchObject(UNSEEN);
    if (action === "crash") expect(await failure(rule.counts())).toMatchObject(UNSEEN);
    await client.close();
  },
);

test("who lets everybody in and nobody through is no broker", async () => {
  const { client, rule, answers, pass } = await armed("close");
  answers({ watch: hangsUp, list: hangsUp });
  const fired = failure(rule.whenFired());
  await pass(200);
  expect(await fired).toMatchObject({
    code: "CONNECTION",
    message: expect.stringContaining(GONE),
  });
  await client.close();
});

test("a crash is watched for on where its watch is lost, though nobody asks, and also once its broker is there again; for no longer than a request waits", async () => {
  const { peer, clock, client, rule, seen, answers, loseWatch, pass } = await armed("crash");
  answers({ watch: (request) => isRequest(request, "watch") && request.answer({}), list: isSilent });
  await loseWatch();
  expect(seen.watches).toBe(1);
  await pass(5_000);
  peer.refuseLinks(new Error("connect ECONNREFUSED"));
  peer.breakLink();
  await pass(20_000);
  peer.refuseLinks(null);
  await pass(2_000);
  expect(seen.watches).toBe(2);
  peer.refuseLinks(new Error("connect ECONNREFUSED"));
  peer.breakLink();
  await pass(60_000);
  peer.refuseLinks(null);
  await pass(10_000);
  expect([seen.watches, clock.waiting]).toEqual([2, 0]);
  const counted = failure(rule.counts({ timeoutMs: 10 }));
  await pass(10);
  expect([seen.watches, await counted]).toEqual([3, expect.objectContaining({ code: "TIMEOUT" })]);
  await client.close();
});

test.each([
  ["its own timeoutMs", 300, 300],
  ["the client's requestTimeoutMs", undefined, 30_000],
])(
  "the counts of a crash take no longer than %s, however often the question is put again",
  async (_whose, timeoutMs, ms) => {
    const { client, rule, seen, answers, loseWatch, pass } = await armed("crash");
    const questions = [
      () => rule.counts({ timeoutMs }),
      () => rule.hits({ timeoutMs }),
      () => rule.fired({ timeoutMs }),
      () => rule.assertFired({ timeoutMs }),
    ];
    for (const [watch, list] of [
      [isSilent, hangsUp],
      [opensAndHangsUp, isSilent],
    ] as const) {
      answers({ watch, list });
      for (const ask of questions) {
        const asked = failure(ask());
        await pass(ms);
        expect(await asked).toMatchObject({
          code: "TIMEOUT",
          message: `the fault 3 (crash at request.watch) was not counted within ${ms} ms: its broker has not said how often it acted`,
          details: { ruleId: 3, timeoutMs: ms },
        });
      }
      expect(seen.lists).toBeGreaterThan(questions.length);
      await loseWatch();
    }
    await client.close();
  },
);

test("a client whose clock is stepped with the broker's steps no pause of its connections", () => {
  const manual = new ManualClock();
  expect(clockOfConnections(new BrokerClock())).toBe(systemClock);
  expect(clockOfConnections(manual)).toBe(manual);
});
