/** With a manual clock: what a request lets go on comes before whatever is asked after its answer, however fast that is asked. */
import { expect, test } from "vitest";
import { base64, type Session, settle } from "./support/broker.ts";
import { armFault, withOrders } from "./support/faults.ts";

const QUEUED = 60;
const ROUNDS = 10;
const produce = (id: string | number) =>
  `${JSON.stringify({ operation: "produce", topic: "orders", value_b64: base64("v"), id })}\n`;

/** Sends `line` from within the arrival of the next answer: no client can be faster. */
function sendAtNextAnswer({ stream }: Session, line: string): void {
  stream.prependOnceListener("data", () => stream.write(line));
}

const WAYS = [
  ["a hold that is released", { action: "hold" }, { operation: "release_fault", rule_id: 1 }],
  ["a hold that is disarmed", { action: "hold" }, { operation: "disarm_faults" }],
  ["a delay that is over", { action: "delay", delay_ms: 5 }, { operation: "advance_clock", ms: 10 }],
] as const;

test.each(WAYS)(
  "%s: all that waited behind it comes before what is asked after the answer",
  async (...way) => {
    const [, action, freeing] = way;
    for (let round = 0; round < ROUNDS; round++) {
      const { session, lab } = await withOrders();
      await armFault(lab, { point: "request.ping", ...action });
      session.request({ operation: "ping", id: "first" });
      for (let n = 0; n < QUEUED; n++) {
        session.send(produce(n));
        // Each in a chunk of its own, some of them read before and some after the request that is held is taken.
        if (n % 7 === round % 7) await settle();
      }
      await settle();
      expect(session.answers).toEqual([]);
      sendAtNextAnswer(lab, produce("C"));
      expect(await lab.ask(freeing)).toMatchObject({ ok: true });
      expect(await lab.answer()).toMatchObject({ id: "C", offset: QUEUED });
      await settle();
      const offsets = session.answers.slice(1).map(({ offset }) => offset);
      expect(offsets).toEqual(Array.from({ length: QUEUED }, (_, n) => n));
    }
  },
);

test("requests that came at once do not alternate with another's that came later", async () => {
  const { session, lab } = await withOrders();
  await session.call("ping");
  session.send(Array.from({ length: QUEUED }, (_, n) => produce(n)).join(""));
  lab.send(produce("C"));
  expect(await lab.answer()).toMatchObject({ id: "C", offset: QUEUED });
});

/** What the history tells of a connection: its requests, their answers, its end. */
async function historyOf(lab: Session): Promise<string[]> {
  const { lines } = await lab.call("read_history");
  return lines.filter((line) => line.includes('"closed"') || line.includes('\\"gone'));
}

test.each([
  ["ends its side", (session: Session) => session.stream.end()],
  ["is cut off", (session: Session) => session.stream.destroy()],
] as const)(
  "of a client that %s the end is recorded once, behind all that it had sent, also what waited for a held one",
  async (_how, leave) => {
    const { session, lab } = await withOrders();
    const rule = await armFault(lab, { point: "request.ping", action: "hold" });
    session.request({ operation: "ping", id: "gone" });
    for (let n = 0; n < 3; n++) session.send(produce(`gone ${n}`));
    await settle();
    leave(session);
    await settle();
    expect(await historyOf(lab)).toHaveLength(1);
    await lab.call("release_fault", { rule_id: rule });
    await settle();
    const told = await historyOf(lab);
    expect(told.map((line) => Object.keys(JSON.parse(line))[0])).toEqual([
      "request",
      "answer",
      ...Array.from({ length: 3 }, () => ["request", "answer"]).flat(),
      "closed",
    ]);
  },
);

test.each(["close", "close_after"] as const)(
  "of a client that a fault cuts off (%s) the end stands behind that request, and before whatever others have sent meanwhile; a load repeats it",
  async (action) => {
    const { session, lab } = await withOrders();
    await armFault(lab, { point: "request.produce", action });
    const place = { topic: "orders", partition: 1 };
    session.request({
      operation: "fetch",
      ...place,
      offset: 0,
      min_bytes: 1,
      max_wait_ms: 1_000,
      id: "gone",
    });
    await settle();
    session.send(produce("gone too"));
    lab.request({ operation: "ping", id: "gone on" });
    expect(await lab.answer()).toMatchObject({ ok: true });
    const kinds = (await historyOf(lab)).map((line) => Object.keys(JSON.parse(line))[0]);
    // The fetch waited until then; the produce is answered with the end.
    expect(kinds).toEqual(["request", "request", "closed", "answer", "request", "answer"]);
    await lab.call("save_snapshot", { name: "one" });
    expect(await lab.call("load_snapshot", { name: "one" })).toMatchObject({ difference: null });
  },
);
