/** All kinds of clients at once, until it is over, and what those are judged by who work in transactions. */
import type { Client } from "@minikafka/client";
import { expect } from "vitest";
import { again } from "../again.ts";
import { expectWhole, follow } from "../bank-audit.ts";
import { Branch } from "../bank-branch.ts";
import { Ledger } from "../bank-ledger.ts";
import { TOPIC as ACCOUNTS, BALANCES } from "../bank-transfer.ts";
import { valuesOf } from "../committed-values.ts";
import { NUMBERS_TOPIC, NumberFeed } from "../number-feed.ts";
import { GROUP, TransformingWorker } from "../transforming-worker.ts";
import { administer } from "./administrator.ts";
import { BROKERS } from "./daemon-lives.ts";
import type { SoakWorld } from "./soak-world.ts";
import { watch } from "./watchers.ts";
import { LONE, MOVING, PLAIN_PARTITIONS, STEADY, WRITERS, write } from "./writers.ts";

const SQUARES = "squares";
const NUMBER_PARTITIONS = 4;
const BANK = { accounts: 4, partitions: 2 } as const;

export async function createTopics(client: Client): Promise<void> {
  const safe = { min_insync_replicas: 2 };
  const compacted = { cleanup_policy: "compact", delete_retention_ms: 0, min_cleanable_dirty_ratio: 0 };
  const topics = [
    { topic: LONE, partitions: PLAIN_PARTITIONS, replicationFactor: 1, config: { retention_ms: -1 } },
    { topic: STEADY, partitions: PLAIN_PARTITIONS, config: { retention_ms: -1 } },
    { topic: MOVING, partitions: PLAIN_PARTITIONS, config: safe },
    { topic: NUMBERS_TOPIC, partitions: NUMBER_PARTITIONS, config: safe },
    { topic: SQUARES, partitions: PLAIN_PARTITIONS, config: safe },
    { topic: ACCOUNTS, partitions: BANK.partitions, config: safe },
    { topic: BALANCES, partitions: BANK.partitions, config: { ...safe, ...compacted, segment_bytes: 4_096 } },
  ];
  for (const topic of topics) await client.admin().createTopic({ replicationFactor: BROKERS, ...topic });
}

/** What is left to be judged when all clients have come to their end. */
export interface Transactions {
  /** Throws for what is not there exactly once, or not whole. */
  judge(): Promise<number>;
}

/** Runs until it is over and everybody has said their last word. */
export async function workAll(world: SoakWorld): Promise<Transactions> {
  const branches = await Promise.all(
    ["north", "south"].map((name) => Branch.open(name, { ...world, geometry: BANK })),
  );
  const followed = new Ledger(BANK);
  const following = follow(world.office, followed);
  const feed = new NumberFeed(world.office, NUMBER_PARTITIONS);
  await Promise.all([
    ...WRITERS.map((kind) => write(kind, world)),
    ...[0, 1].map(() => watch(world)),
    ...branches.map((branch) => transferOn(branch, world)),
    ...squareOn(feed, world),
    administer(world),
  ]);
  await following.over();
  return {
    judge: async () => {
      await expectWhole(branches, followed, world.office, BANK);
      const outcomes = branches.reduce((sum, { outcomes }) => sum + outcomes.size, 0);
      return outcomes + (await expectSquares(world, feed));
    },
  };
}

async function transferOn(branch: Branch, { progress }: SoakWorld): Promise<void> {
  while (!progress.isOver) {
    await branch.transfer();
    progress.step("transactions of the bank");
  }
  await branch.close();
}

function squareOn(feed: NumberFeed, world: SoakWorld): Promise<void>[] {
  const { office, progress } = world;
  let isFed = false;
  const feeding = (async () => {
    while (!progress.isOver) {
      await feed.sendTen();
      progress.step("transactions of ten numbers");
    }
    await feed.close();
    isFed = true;
  })();
  const isDone = async () => {
    if (!isFed) return false;
    const partitions = feed.ends.map((_, partition) => ({ topic: NUMBERS_TOPIC, partition }));
    const offsets = await again(() => office.admin().fetchOffsets(GROUP, { partitions }));
    return offsets.every(({ offset }, partition) => (offset ?? 0) >= (feed.ends[partition] ?? 0));
  };
  const read = (count: number) => {
    if (count > 0) progress.step("reads of copiers");
  };
  const workers = ["a", "b"].map((name) => new TransformingWorker(name, { ...world, isDone, read }).run());
  return [feeding, ...workers];
}

async function expectSquares({ office }: SoakWorld, { next }: NumberFeed): Promise<number> {
  const partitions = Array.from({ length: PLAIN_PARTITIONS }, (_, partition) => partition);
  const squares = await Promise.all(partitions.map((partition) => valuesOf(office, SQUARES, partition)));
  const found = squares.flat().map(Number);
  expect(found.sort((one, other) => one - other)).toEqual(
    Array.from({ length: next }, (_, number) => number * number),
  );
  return next;
}
