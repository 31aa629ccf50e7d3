/** A broker that is told to stop in the middle of a load: the load is finished first, since half of a state is none. */
import { MemoryDisk } from "@minikafka/core/testing";
import { expect, test } from "vitest";
import { base64, openBroker, Session } from "./support/broker.ts";

const PLACE = { topic: "orders", partition: 0 };

async function offsetsIn(disk: MemoryDisk): Promise<number[]> {
  const session = Session.open(await openBroker({}, disk));
  const { records } = await session.call("fetch", { ...PLACE, offset: 0 });
  return (records ?? []).map(({ offset }) => offset);
}

/** Closes the broker at the change of that number since the load was asked for. Returns what is there then; `null` where there are less. */
async function closedAt(change: number, keep: "memory" | "folder"): Promise<number[] | null> {
  const disk = new MemoryDisk();
  const broker = await openBroker({}, disk);
  const session = Session.open(broker);
  await session.call("create_topic", { topic: "orders", partitions: 1 });
  for (const text of ["a", "b"]) await session.call("produce", { ...PLACE, value_b64: base64(text) });
  await session.call("save_snapshot", { name: "kept", keep });
  await session.call("produce", { ...PLACE, value_b64: base64("c") });
  let changes = 0;
  const closed: Promise<void>[] = [];
  const unwatch = disk.beforeChange(() => {
    changes += 1;
    if (changes === change) closed.push(broker.close());
  });
  const answer = await session.ask({ operation: "load_snapshot", name: "kept" });
  unwatch();
  if (closed.length === 0) return null;
  await Promise.all(closed);
  expect(answer).toMatchObject({ ok: true, difference: null });
  return offsetsIn(disk);
}

test.each(["memory", "folder"] as const)(
  "a broker that is closed at whatever instant of a load ends with the loaded state, whole; kept in %s",
  async (keep) => {
    let instants = 0;
    // They are many and alike; each fifth meets each kind of them.
    for (let change = 1; ; change += 5) {
      const offsets = await closedAt(change, keep);
      if (offsets === null) break;
      instants += 1;
      expect(offsets).toEqual([0, 1]);
    }
    expect(instants).toBeGreaterThan(5);
  },
);
