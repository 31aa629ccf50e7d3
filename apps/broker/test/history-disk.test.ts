/** A disk that fails by itself: no replay meets that, so that the history ends there. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";
import { armFault } from "./support/faults.ts";

const PLACE = { topic: "orders", partition: 0 };

async function withOrders() {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  await session.call("save_snapshot", { name: "before" });
  const produce = () => session.ask({ operation: "produce", ...PLACE, value_b64: base64("a"), acks: "all" });
  return { disk, session, produce };
}

test.each([
  ["write", "ENOSPC"],
  ["write", "EIO"],
  ["sync", "EIO"],
] as const)(
  "a %s of the cluster's that fails with %s ends the history, which says so; what was saved before is loaded",
  async (operation, code) => {
    const { disk, session, produce } = await withOrders();
    expect(await produce()).toMatchObject({ ok: true });
    disk.fail({ operation, code, path: /orders-0.*\.log$/ });
    expect(await produce()).toMatchObject({ ok: false });
    const ended = {
      code: "HISTORY_ENDED",
      message: expect.stringContaining(code),
      details: { disk_error: expect.stringContaining(code) },
    };
    expect(await session.ask({ operation: "save_snapshot", name: "late" })).toMatchObject(ended);
    expect(await session.ask({ operation: "diff_snapshots", from: "before" })).toMatchObject(ended);
    expect(await session.call("read_history")).toMatchObject({
      ended: true,
      disk_error: expect.stringContaining(code),
    });
    expect(await session.call("load_snapshot", { name: "before" })).toMatchObject({ difference: null });
    expect(await produce()).toMatchObject({ ok: true });
    await session.call("save_snapshot", { name: "late" });
    expect(await session.call("diff_snapshots", { from: "late" })).toMatchObject({ differences: [] });
  },
);

test("an armed fault that fails a write ends no history: it fails once more", async () => {
  const { session, produce } = await withOrders();
  await armFault(session, { point: "log.append.before_write", action: "error", times: "once" });
  expect(await produce()).toMatchObject({ ok: false });
  expect(await produce()).toMatchObject({ ok: true });
  expect(await session.call("read_history")).toMatchObject({ ended: false });
  await session.call("save_snapshot", { name: "late" });
  await produce();
  expect(await session.call("load_snapshot", { name: "late" })).toMatchObject({ difference: null });
});
