/** What is done to one broker while others are done to it too. */
import { expect, test } from "vitest";
import { judged } from "../src/run/campaign.ts";
import type { Entry } from "../src/script/entry.ts";
import type { Shape } from "../src/shape/shape.ts";

const SHAPE: Shape = {
  brokers: 2,
  // What was written is flushed when a broker stops.
  config: { flush: "os" },
  topics: [{ topic: "orders", partitions: 1, replicationFactor: 2, config: {} }],
  laterTopics: [],
  clients: [
    { kind: "producer", name: "p", isIdempotent: false, namesEpoch: false, valueBytes: 10 },
    { kind: "reader", name: "r", isolation: "read_committed" },
  ],
  allowsUnclean: false,
  network: { delayMsMax: 0, lossPermille: 0 },
  fates: ["kept"],
  focus: "everything",
  weights: {},
  replicateEveryMs: 5,
  acts: 0,
};

/** How often broker 2 has lost its folder, and how often it found one that is gone. */
async function lostBy(...entries: readonly Entry[]): Promise<[lost: number, missed: number]> {
  const { violation, world } = await judged({ seed: 1, shape: SHAPE, script: entries });
  expect(violation).toBeNull();
  const lost = world.recorder.happenings.filter(({ kind }) => kind === "folder_lost").length;
  return [lost, world.witness.counts.get("log_offline") ?? 0];
}

const SEND: Entry = {
  kind: "send",
  client: "p",
  topic: "orders",
  partition: 0,
  keys: ["k"],
  isTombstone: false,
  acks: 1,
  atMs: 5,
  luck: 1,
};
const LOSE = { kind: "swap_folder", brokerId: 2, how: "lose", downMs: 20, atMs: 30, luck: 1 } as const;

test("a folder is lost while its broker is stopped, and never under one that somebody else has started meanwhile", async () => {
  expect(await lostBy(SEND, LOSE)).toEqual([1, 1]);
  // It stops, and the start is asked for, while the disk is at work.
  const hold = { kind: "hold_syncs", forMs: 10, atMs: 30, luck: 1 } as const;
  const start = { kind: "start_broker", brokerId: 2, atMs: 31, luck: 1 } as const;
  expect(await lostBy(SEND, hold, LOSE, start)).toEqual([0, 0]);
});
