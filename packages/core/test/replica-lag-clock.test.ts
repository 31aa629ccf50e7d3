/** Somebody sets the time of day while followers lag: who is in sync goes by the time that passes. */
import { expect, test } from "vitest";
import { ManualClock } from "../src/env/clock.ts";
import { inSyncOf, ORDERS, openReplicated, send } from "./replica-world.ts";
import { memoryWorld, START_MS, type World } from "./world.ts";

const LAG_TIME_MS = 10_000;
const HOUR_MS = 3_600_000;
const SET_BY_MS = [-HOUR_MS, HOUR_MS] as const;
const CONFIG = { replicaLagTimeMs: LAG_TIME_MS };

/** A clock whose time of day somebody may set. */
class SetClock extends ManualClock {
  #setByMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.#setByMs;
  }

  setBy(byMs: number): void {
    this.#setByMs += byMs;
  }
}

function settableWorld(): World & { readonly clock: SetClock } {
  return { ...memoryWorld(), clock: new SetClock(START_MS) };
}

/** Broker 3 lacks the second record; both followers were caught up at START_MS. */
async function withOneBehind(world: World) {
  const cluster = await openReplicated(world, { config: CONFIG });
  await send(cluster, ["a"]);
  await cluster.replicateOnce();
  await send(cluster, ["b"]);
  await cluster.replicateOnce({ brokerId: 2 });
  return cluster;
}

test.each(SET_BY_MS)(
  "with the time of day set by %i ms, one that lags leaves when its time has passed, and not before",
  async (byMs) => {
    const world = settableWorld();
    const cluster = await withOneBehind(world);
    world.clock.setBy(byMs);
    expect(cluster.refreshIsr()).toEqual([]);
    world.clock.advance(LAG_TIME_MS);
    expect(cluster.refreshIsr()).toEqual([]);
    world.clock.advance(1);
    world.events.clear();
    expect(cluster.refreshIsr()).toEqual([{ ...ORDERS, from: [1, 2, 3], to: [1, 2] }]);
    expect(cluster.visibleEnd(ORDERS)).toBe(2);
    const moves = [{ brokerId: 3, reason: "lag_time", logEndOffset: 1, lastCaughtUpMs: START_MS }];
    expect(world.events.of("isr_changed")).toMatchObject([{ moves }]);
    expect(cluster.describePartition(ORDERS).replicas).toMatchObject([
      { lastCaughtUpMs: null },
      { lastCaughtUpMs: START_MS },
      { lastCaughtUpMs: START_MS },
    ]);
    await cluster.close();
  },
);

test.each(SET_BY_MS)(
  "with the time of day set by %i ms, the deadline of one that lags is told by the time of day as it is now",
  async (byMs) => {
    const world = settableWorld();
    const cluster = await withOneBehind(world);
    const { foresight } = cluster;
    const deadlines = () => foresight.deadlines("orders").filter(({ what }) => what === "replica_lag_time");
    const pending = () => foresight.steps("orders").filter(({ operation }) => operation === "refresh_isr");
    expect(deadlines()).toMatchObject([{ brokerId: 3, dueMs: START_MS + LAG_TIME_MS + 1 }]);
    world.clock.setBy(byMs);
    expect(deadlines()).toMatchObject([{ brokerId: 3, dueMs: START_MS + byMs + LAG_TIME_MS + 1 }]);
    world.clock.advance(LAG_TIME_MS);
    expect([pending(), deadlines()]).toMatchObject([[], [{ dueMs: world.clock.nowMs() + 1 }]]);
    world.clock.advance(1);
    expect(deadlines()).toEqual([]);
    expect(pending()).toMatchObject([{ would: { from: [1, 2, 3], to: [1, 2] } }]);
    await cluster.close();
  },
);

test.each(SET_BY_MS)(
  "with the time of day set by %i ms, a follower that always holds what its leader had at the fetch before stays in sync as long as it fetches",
  async (byMs) => {
    const world = settableWorld();
    const cluster = await openReplicated(world, {
      brokers: 2,
      config: { ...CONFIG, replicaFetchMaxBytes: 1 },
    });
    await send(cluster, ["first"]);
    for (let round = 0; round < 6; round++) {
      await send(cluster, [`${round}`]);
      await cluster.replicateOnce();
      world.clock.advance(4000);
      if (round === 3) world.clock.setBy(byMs);
      expect([cluster.refreshIsr(), inSyncOf(cluster)]).toEqual([[], [1, 2]]);
    }
    // The fetch before the last one is 8 s ago.
    world.clock.advance(LAG_TIME_MS - 8000);
    expect(cluster.refreshIsr()).toEqual([]);
    world.clock.advance(1);
    expect(cluster.refreshIsr()).toEqual([{ ...ORDERS, from: [1, 2], to: [1] }]);
    await cluster.close();
  },
);

test("a new leader gives its followers the whole time, to whatever the time of day is set", async () => {
  const world = settableWorld();
  const cluster = await withOneBehind(world);
  world.clock.setBy(-HOUR_MS);
  world.clock.advance(LAG_TIME_MS);
  await cluster.promote(ORDERS, 2);
  await send(cluster, ["c"]);
  world.clock.setBy(2 * HOUR_MS);
  world.clock.advance(LAG_TIME_MS);
  expect(cluster.refreshIsr()).toEqual([]);
  world.clock.advance(1);
  expect(cluster.refreshIsr()).toEqual([{ ...ORDERS, from: [1, 2, 3], to: [2] }]);
  await cluster.close();
});
