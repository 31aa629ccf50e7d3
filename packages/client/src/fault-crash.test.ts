/** A fault that lets the broker die: what proves it, once nobody is left to be asked. */
import { expect, test } from "vitest";
import { failure } from "../test/support/failure.ts";
import { quiet, ScriptedPeer, type SeenRequest } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";

const CRASH = { point: "log.append.after_write", action: "crash" } as const;

async function armed() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link });
  const faults = client.faults();
  const arming = faults.arm(CRASH);
  const watch = await peer.next("watch");
  expect(watch.fields.kinds).toEqual(["fault_fired"]);
  watch.answer({});
  const request = await peer.next("arm_fault");
  request.answer({ rule_id: 3 });
  const rule = await arming;
  const { mark = "" } = request.fields;
  expect(mark.startsWith(watch.fields.fault_mark ?? "?")).toBe(true);
  /** Says that it is armed and has not acted, or that there is none. */
  const count = async (isArmed: boolean) => {
    const listed = { rule_id: 3, ...CRASH, times: "once" as const, mark, hits: 0, fired: 0, held: 0 };
    (await peer.next("list_faults")).answer({ points: [], rules: isArmed ? [listed] : [] });
  };
  return { peer, client, faults, watch, rule, mark, count };
}

type Watch = Pick<SeenRequest, "write" | "hangUp">;

function tell(watch: Watch, mark: string, hit = 1): void {
  const event = { number: 9, time_ms: 1, kind: "fault_fired", ...CRASH, hit, rule_id: 3, mark };
  watch.write(`${JSON.stringify({ event })}\n`);
}

/** As a process that is gone: nobody comes in any more. */
function die(peer: ScriptedPeer, watch: Watch): void {
  peer.refuseLinks(new Error("connect ECONNREFUSED"));
  watch.hangUp();
}

test("a crash is proved by the event of this very fault, before and after whenFired, whatever becomes of the broker", async () => {
  const { peer, client, watch, rule, mark } = await armed();
  const fired = rule.whenFired();
  (await peer.next("list_faults")).hangUp();
  tell(watch, mark, 2);
  die(peer, watch);
  await fired;
  await rule.assertFired();
  await rule.whenFired();
  expect(await rule.counts()).toEqual({ hits: 2, fired: 1, held: 0 });
  expect(await rule.disarm()).toBe(false);
  await quiet();
  expect(peer.openLinkCount).toBe(0);
  await client.close();
});

test("a disarm that was given up leaves the crash armed, and watched for", async () => {
  const { peer, client, watch, rule, mark } = await armed();
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(rule.disarm({ signal })).rejects.toThrow("enough");
  tell(watch, mark);
  await quiet();
  die(peer, watch);
  await rule.assertFired();
  await rule.whenFired();
  await client.close();
});

test("assertFired of a crash that nobody waited for is as true", async () => {
  const { peer, client, watch, rule, mark } = await armed();
  tell(watch, mark);
  die(peer, watch);
  await quiet();
  await rule.assertFired();
  await client.close();
});

test.each([
  [
    "of another fault of that number at the same point",
    (watch: Watch, mark: string) => tell(watch, `${mark}0`),
  ],
  ["of no fault at all", () => undefined],
])("a broker that dies %s proves nothing", async (_what, before) => {
  const { peer, client, watch, rule, mark } = await armed();
  const fired = failure(rule.whenFired());
  const asserted = failure(rule.assertFired());
  await peer.next("list_faults");
  (await peer.next("list_faults")).hangUp();
  before(watch, mark);
  die(peer, watch);
  const UNSEEN = {
    code: "CONNECTION",
    message: expect.stringContaining(
      "(crash at log.append.after_write) was not seen to act before its broker went",
    ),
  };
  expect(await fired).toMatchObject(UNSEEN);
  expect(await asserted).toMatchObject(UNSEEN);
  expect(await failure(rule.whenFired())).toMatchObject({ code: "CONNECTION" });
  await client.close();
});

test("a crash whose watch alone is lost is watched for anew, and asked for as other faults are", async () => {
  const { peer, client, watch, rule, count } = await armed();
  watch.hangUp();
  await quiet();
  const asserted = failure(rule.assertFired());
  (await peer.next("watch")).answer({});
  await count(false);
  expect(await asserted).toMatchObject({
    code: "USAGE",
    message: expect.stringContaining("not armed any more"),
  });
  const fired = failure(rule.whenFired());
  (await peer.next("watch")).answer({});
  await count(false);
  expect(await fired).toMatchObject({ code: "USAGE" });
  await client.close();
});

test("whenFired of a crash ends by its signal, and the watch for it goes on", async () => {
  const { client, watch, rule, mark, count } = await armed();
  const enough = new AbortController();
  const waited = rule.whenFired(1, { signal: enough.signal }).catch((reason: unknown) => reason);
  await count(true);
  await quiet();
  enough.abort("enough");
  expect(await waited).toBe("enough");
  tell(watch, mark);
  await quiet();
  await rule.assertFired();
  await client.close();
});

test("a crash that is disarmed, or refused, keeps no connection; and none comes twice", async () => {
  const { peer, client, rule } = await armed();
  expect(await failure(rule.whenFired(2))).toMatchObject({
    code: "USAGE",
    message: "count is 2; a broker dies of a crash once, which whenFired() waits for",
  });
  expect(peer.openLinkCount).toBe(2);
  const disarmed = rule.disarm();
  (await peer.next("disarm_faults")).answer({ disarmed: 1 });
  expect(await disarmed).toBe(true);
  expect(peer.openLinkCount).toBe(1);
  const refused = failure(client.faults().arm(CRASH));
  (await peer.next("watch")).answer({});
  (await peer.next("arm_fault")).refuse("STEPPING_DISABLED");
  expect(await refused).toMatchObject({ code: "STEPPING_DISABLED" });
  expect(peer.openLinkCount).toBe(1);
  await client.close();
});

test("of a broker that has gone without it each question about a crash is answered at once, with the fault's name", async () => {
  const { peer, client, watch, rule } = await armed();
  die(peer, watch);
  await quiet();
  for (const ask of [() => rule.assertFired(), () => rule.counts(), () => rule.whenFired()])
    expect(await failure(ask())).toMatchObject({
      code: "CONNECTION",
      message: expect.stringContaining("the fault 3 (crash at log.append.after_write) was not seen to act"),
    });
  await client.close();
});

test("crashes are watched for over one connection, which is gone once disarmAll has forgotten them", async () => {
  const { peer, client, faults } = await armed();
  const second = client.faults().arm(CRASH);
  (await peer.next("arm_fault")).answer({ rule_id: 4 });
  await second;
  expect(peer.openLinkCount).toBe(2);
  const disarmed = faults.disarmAll();
  (await peer.next("disarm_faults")).answer({ disarmed: 2 });
  await disarmed;
  expect(peer.openLinkCount).toBe(1);
  await client.close();
});
