/** When a link is given up, and made anew. */
import { expect, test } from "vitest";
import { failure } from "../../test/support/failure.ts";
import { quiet, ScriptedPeer } from "../../test/support/scripted-peer.ts";
import { connect } from "../client.ts";
import { ManualClock } from "../clock.ts";

test("an explicit open connects at once, however often it has failed before and whoever waits for the next attempt, and only its further attempts wait", async () => {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock });
  peer.breakLink();
  await quiet();
  peer.refuseLinks(new Error("ECONNREFUSED"));
  for (const attempts of [2, 3, 4]) {
    expect(await failure(client.open())).toMatchObject({ code: "CONNECTION" });
    expect(peer.attemptCount).toBe(attempts);
  }
  const call = client.call("ping", {});
  const twice = failure(client.open({ attemptsMax: 2 }));
  await quiet();
  expect(peer.attemptCount).toBe(5);
  clock.advance(1_000);
  expect(await twice).toMatchObject({ code: "CONNECTION" });
  peer.refuseLinks(null);
  await client.open();
  (await peer.next("ping")).answer({});
  await call;
  await client.close();
  expect(clock.waiting).toBe(0);
});

test("a call whose own time is over leaves the connection to what others have under way; who is silent for the client's whole time is given up, however short each call", async () => {
  const peer = new ScriptedPeer();
  const clock = new ManualClock();
  const client = await connect({ link: peer.link }, { clock, requestTimeoutMs: 1_000 });
  const patient = client.call("ping", {});
  const held = await peer.next("ping");
  for (let times = 0; times < 9; times += 1) {
    const hasty = failure(client.call("list_topics", {}, { timeoutMs: 100 }));
    await peer.next("list_topics");
    clock.advance(100);
    expect(await hasty).toMatchObject({ code: "TIMEOUT" });
  }
  held.answer({});
  await patient;
  for (let ms = 0; ms < 1_000; ms += 250) {
    expect(peer.openLinkCount).toBe(1);
    const hasty = failure(client.call("list_topics", {}, { timeoutMs: 250 }));
    await peer.next("list_topics");
    clock.advance(250);
    await hasty;
  }
  await quiet();
  expect(peer.openLinkCount).toBe(0);
  await client.close();
});
