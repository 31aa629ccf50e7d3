/** Snapshots, as a program asks for them. */
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";

async function open() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  return { peer, client, snapshots: client.snapshots() };
}

const saved = { name: "a", keep: "folder" as const, entries: 3, time_ms: 5 };

test("a snapshot is saved where one says, loaded by its name, and told with the program's names", async () => {
  const { peer, client, snapshots } = await open();
  const saving = snapshots.save("a", { keep: "folder" });
  const request = await peer.next("save_snapshot");
  expect(request.fields).toMatchObject({ name: "a", keep: "folder" });
  request.answer(saved);
  expect(await saving).toEqual({ name: "a", keep: "folder", entries: 3, timeMs: 5 });
  const loading = snapshots.load("a", { acceptDifference: true });
  const difference = { entry: 1, saved: "{}", replayed: null };
  const asked = await peer.next("load_snapshot");
  expect(asked.fields).toMatchObject({ name: "a", accept_difference: true });
  asked.answer({ ...saved, difference });
  expect(await loading).toMatchObject({ timeMs: 5, difference });
  await client.close();
});

test("a diff is of two states, or of one and the present; its paths and values are the cluster's own", async () => {
  const { peer, client, snapshots } = await open();
  const differences = [{ path: "topics.some_topic.config", to: { retention_ms: 1 } }];
  const [present, other] = [snapshots.diff("a"), snapshots.diff("a", { to: "b" })];
  const first = await peer.next("diff_snapshots");
  expect(first.fields).not.toHaveProperty("to");
  first.answer({ differences });
  const second = await peer.next("diff_snapshots");
  expect(second.fields).toMatchObject({ from: "a", to: "b" });
  second.answer({ differences: [] });
  expect([await present, await other]).toEqual([differences, []]);
  await client.close();
});

test("the history is read page by page", async () => {
  const { peer, client, snapshots } = await open();
  const reading = snapshots.history({ from: 7 });
  const request = await peer.next("read_history");
  expect(request.fields).toMatchObject({ from: 7 });
  const page = { life: 1, lines: ["{}"], next: 8, end: 9, ended: false };
  request.answer(page);
  expect(await reading).toEqual(page);
  await client.close();
});
