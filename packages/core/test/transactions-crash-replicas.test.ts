/** The world of three brokers ends at any change of their disks, while leaderships move and brokers stop in the middle of transactions. */
import { expect, test } from "vitest";
import { OFFSETS_TOPIC } from "./offsets-world.ts";
import {
  crashOf,
  expectGoesOn,
  expectWhole,
  sampled,
  seenOn,
  TransactionsLife,
} from "./transaction-crash-world.ts";
import { A, openTransactions, TRANSACTIONS_TOPIC } from "./transactional-producer.ts";
import { memoryWorld } from "./world.ts";

const BROKERS = 3;

async function livedThrough(): Promise<TransactionsLife> {
  const world = memoryWorld();
  const life = new TransactionsLife(world, await openTransactions(world, { brokers: BROKERS }));
  const { cluster } = life;
  await life.init();
  await life.open(1);
  await cluster.promote({ topic: TRANSACTIONS_TOPIC, partition: 0 }, 2);
  await life.commit(1);
  await life.open(2);
  await cluster.promote(A, 3);
  await life.abort();
  await life.open(3);
  await cluster.promote({ topic: OFFSETS_TOPIC, partition: 0 }, 2);
  await life.commit(3);
  await cluster.stopBroker(1);
  await cluster.startBroker(1);
  await life.open(4);
  await life.init();
  await life.close();
  return life;
}

test("a crash of all brokers leaves each transaction whole or not at all, whoever leads next", async () => {
  const { instants } = await livedThrough();
  expect(instants.length).toBeGreaterThan(200);
  for (const [seed, { disk, before, fates }] of sampled(instants, 7)) {
    const crash = crashOf(seed);
    const where = `after a crash (${crash.mode}) at instant ${seed}, before ${before}`;
    disk.crash(crash);
    const { seen, cluster } = await seenOn(disk, BROKERS);
    expectWhole(seen, fates, where);
    await expectGoesOn(cluster, seen, where);
    await cluster.crash();
  }
});
