/** When a link that has broken is made anew. */
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
