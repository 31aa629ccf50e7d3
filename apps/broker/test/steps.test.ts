/** Background work, stepped over the wire. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };

test.each(["flush_logs"])("%s is refused where stepping is not allowed", async (operation) => {
  const auto = Session.open(await openBroker({ clock: "auto", start_time: undefined }));
  expect(await auto.ask({ operation })).toMatchObject({ code: "STEPPING_DISABLED", retriable: false });
});

test("flush_logs makes durable what was written before, and nothing does so by itself while time stands still", async () => {
  const disk = new MemoryDisk();
  const session = Session.open(await openBroker({}, disk));
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  const endAfterPowerCut = async () => {
    const copy = disk.clone();
    copy.crash({ mode: "lost" });
    const again = Session.open(await openBroker({}, copy));
    return (await again.call("describe_partition", PLACE)).log_end_offset;
  };
  await session.call("produce", { ...PLACE, value_b64: base64("written") });
  expect(await endAfterPowerCut()).toBe(0);
  await session.call("flush_logs");
  expect(await endAfterPowerCut()).toBe(1);
});
