/** Snapshots in memory: what they hold together is bounded, and what they have in common counts once. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const MIB = 1024 * 1024;
const PLACE = { topic: "orders", partition: 0 };

async function withOrders(settings = {}, disk = new MemoryDisk()): Promise<Session> {
  const session = Session.open(await openBroker({ snapshots_max_bytes: MIB, ...settings }, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  return session;
}

/** Something of which the history keeps about `bytes`, in Base64. */
async function happen(session: Session, bytes: number): Promise<void> {
  await session.call("produce", { ...PLACE, value_b64: base64("x".repeat((bytes * 3) / 4)) });
}

async function names(session: Session): Promise<string[]> {
  return (await session.call("list_snapshots")).snapshots.map(({ name }) => name);
}

test("snapshots of one life hold what happened once, however many they are and in whatever order they are saved", async () => {
  const session = await withOrders();
  await happen(session, 700_000);
  for (let number = 0; number < 20; number += 1) {
    await session.call("save_snapshot", { name: `s${number}` });
    await happen(session, 1_000);
  }
  await session.call("delete_snapshot", { name: "s0" });
  expect((await names(session)).length).toBe(19);
});

test("one snapshot too many in memory is refused with the bytes and what to do; all others stay, and it fits in the folder", async () => {
  const session = await withOrders();
  await session.call("save_snapshot", { name: "start" });
  await happen(session, 600_000);
  await session.call("save_snapshot", { name: "one" });
  await session.call("load_snapshot", { name: "start" });
  await happen(session, 600_000);
  const refused = await session.ask({ operation: "save_snapshot", name: "other" });
  expect(refused).toMatchObject({ ok: false, code: "SNAPSHOTS_FULL", details: { bytes_max: MIB } });
  const held = /hold (\d+) bytes/.exec(String(refused?.message))?.[1];
  expect(Number(held)).toBeGreaterThan(1_200_000);
  expect(refused?.message).toMatch(/delete others, keep it in the folder, or .* --snapshots-max-bytes$/);
  expect(await names(session)).toEqual(["one", "start"]);
  await session.call("save_snapshot", { name: "other", keep: "folder" });
  // The same name: the one in the folder stays too.
  expect(await session.ask({ operation: "save_snapshot", name: "other" })).toMatchObject({ ok: false });
  await session.call("load_snapshot", { name: "other" });
  await session.call("load_snapshot", { name: "one" });
  expect(await session.call("describe_partition", PLACE)).toMatchObject({ log_end_offset: 1 });
});

test("a snapshot in the place of one with its name needs no room for both, and a deleted one gives its room back", async () => {
  const session = await withOrders();
  await session.call("save_snapshot", { name: "start" });
  for (let round = 0; round < 3; round += 1) {
    await happen(session, 600_000);
    await session.call("save_snapshot", { name: "one" });
    await session.call("load_snapshot", { name: "start" });
  }
  await happen(session, 600_000);
  expect(await session.ask({ operation: "save_snapshot", name: "two" })).toMatchObject({ ok: false });
  await session.call("delete_snapshot", { name: "one" });
  await session.call("save_snapshot", { name: "two" });
});

test("what lay in the folder counts too, once for all that begin with it", async () => {
  const disk = new MemoryDisk();
  const first = await withOrders({}, disk);
  await happen(first, 800_000);
  await first.broker.close();
  const session = Session.open(await openBroker({ snapshots_max_bytes: MIB }, disk));
  await session.call("save_snapshot", { name: "start" });
  await session.call("load_snapshot", { name: "start" });
  await session.call("save_snapshot", { name: "again" });
  await happen(session, 500_000);
  expect(await session.ask({ operation: "save_snapshot", name: "more" })).toMatchObject({
    code: "SNAPSHOTS_FULL",
  });
});

test("snapshots of which nothing had happened are bounded as well", async () => {
  const session = Session.open(await openBroker({ snapshots_max_bytes: MIB }));
  let saved = 0;
  while ((await session.ask({ operation: "save_snapshot", name: `s${saved}` }))?.ok) saved += 1;
  expect(saved).toBeGreaterThan(900);
  expect(saved).toBeLessThan(1024);
});
