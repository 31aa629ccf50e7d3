import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { onAbort } from "./abort.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import { pause, untilAborted } from "./waiting.ts";
import { WakeUp } from "./wake-up.ts";

test("many waits with one signal are one listener, and none when the last is over", async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const wakeUp = new WakeUp();
  const over = [
    ...Array.from({ length: 20 }, () => pause(clock, 10, signal)),
    ...Array.from({ length: 20 }, () => untilAborted(pause(clock, 10), signal)),
    ...Array.from({ length: 20 }, () => wakeUp.wait(clock, 10, signal)),
  ];
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  clock.advance(10);
  await Promise.all(over);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("who waits is told once, in the order of the waits, and who has stopped is not", () => {
  const controller = new AbortController();
  const told: string[] = [];
  const forget = onAbort(controller.signal, () => told.push("forgotten"));
  onAbort(controller.signal, () => {
    told.push("first");
    forgetLast();
  });
  onAbort(controller.signal, () => told.push("second"));
  const forgetLast = onAbort(controller.signal, () => told.push("never"));
  forget();
  forget();
  controller.abort();
  expect(told).toEqual(["first", "second"]);
});

test("many requests with one signal are one listener, and none when they are answered", async () => {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  const { signal } = new AbortController();
  const asked = Array.from({ length: 20 }, () => client.call("list_topics", {}, { signal }));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const _one of asked) (await peer.next("list_topics")).answer({ topics: [] });
  await Promise.all(asked);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await client.close();
});
