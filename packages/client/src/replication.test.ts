/** Leadership and replication, as the Admin and the Stepper ask for them. */
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";

const PLACE = { topic: "orders", partition: 1 };

async function administering() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  return { peer, client, admin: client.admin(), stepper: client.stepper() };
}

test("promote says which replica, and whether a loss is meant", async () => {
  const { peer, client, admin } = await administering();
  const promoted = admin.promote(PLACE, 2);
  const request = await peer.next("promote");
  expect(request.fields).toMatchObject({ ...PLACE, broker_id: 2, unclean: false });
  request.answer({ ...PLACE, leader_id: 2, leader_epoch: 5, isr: [2, 3] });
  expect(await promoted).toEqual({ ...PLACE, leaderId: 2, leaderEpoch: 5, isr: [2, 3] });
  const unclean = admin.promote(PLACE, 3, { unclean: true });
  const second = await peer.next("promote");
  expect(second.fields).toMatchObject({ broker_id: 3, unclean: true });
  second.refuse("BROKER_NOT_AVAILABLE");
  await expect(unclean).rejects.toMatchObject({ code: "BROKER_NOT_AVAILABLE" });
  await client.close();
});

test("a follower is taken out and rejoins", async () => {
  const { peer, client, admin } = await administering();
  const removed = admin.removeFromIsr(PLACE, 3);
  const request = await peer.next("remove_from_isr");
  expect(request.fields).toMatchObject({ ...PLACE, broker_id: 3 });
  request.answer({ ...PLACE, isr: [1, 2] });
  expect(await removed).toEqual([1, 2]);
  const rejoined = admin.rejoin(PLACE, 3);
  const round = { batches: 2, bytes: 160, isr: [1, 2, 3] };
  (await peer.next("rejoin")).answer({ ...PLACE, broker_id: 3, in_sync: true, truncated_to: 7, ...round });
  expect(await rejoined).toEqual({ ...PLACE, brokerId: 3, inSync: true, truncatedTo: 7, ...round });
  await client.close();
});

test("a broker stops and starts, and says whether it ended cleanly", async () => {
  const { peer, client, admin } = await administering();
  const stopped = admin.stopBroker(2);
  (await peer.next("stop_broker")).answer({ broker_id: 2, clean: false });
  expect(await stopped).toBe(false);
  const started = admin.startBroker(2);
  (await peer.next("start_broker")).answer({ broker_id: 2, clean: true });
  expect(await started).toBe(true);
  await client.close();
});

test("a step is for what it names, and for all when it names nothing", async () => {
  const { peer, client, stepper } = await administering();
  const copied = stepper.replicateOnce({ topic: "orders", partition: 1, brokerId: 3 });
  const request = await peer.next("replicate_once");
  expect(request.fields).toMatchObject({ topic: "orders", partition: 1, broker_id: 3 });
  const round = { batches: 1, bytes: 80, problem: null };
  request.answer({ copied: [{ ...PLACE, broker_id: 3, truncated_to: null, ...round }], heard: [] });
  expect(await copied).toEqual({
    copied: [{ ...PLACE, brokerId: 3, truncatedTo: null, ...round }],
    heard: [],
  });
  const changed = stepper.refreshIsr();
  const all = await peer.next("refresh_isr");
  expect(all.fields).toEqual({ operation: "refresh_isr", id: 2 });
  all.answer({ changed: [{ ...PLACE, from: [1, 2], to: [1] }] });
  expect(await changed).toEqual([{ ...PLACE, from: [1, 2], to: [1] }]);
  await client.close();
});

test("a call that names no place, or no broker beside it, is refused with how it is made", async () => {
  const { client, admin } = await administering();
  for (const method of ["promote", "removeFromIsr", "rejoin"] as const) {
    const call = `${method}({ topic, partition }, brokerId)`;
    const act = admin[method].bind(admin) as (...given: unknown[]) => Promise<unknown>;
    await expect(act("orders", 1, 2)).rejects.toMatchObject({
      code: "USAGE",
      message: `${call} begins with a place, { topic, partition }; got "orders"`,
    });
    await expect(act({ ...PLACE, brokerId: 2 })).rejects.toMatchObject({
      code: "USAGE",
      message: `brokerId is undefined; expected a broker's number, as in ${call}`,
    });
  }
  const describe = admin.describePartition.bind(admin) as (...given: unknown[]) => Promise<unknown>;
  for (const given of ["orders", { topic: "orders" }, null])
    await expect(describe(given, 1)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("describePartition({ topic, partition }) begins with a place,"),
    });
  await client.close();
});
