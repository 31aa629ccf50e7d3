/**
 * Numbers in, squares out, each exactly once: workers of a group that consume, transform and produce in transactions, while they
 * vanish, come back, change their minds and lose their connections, and the broker is killed. More of it: npm run bank.
 */
import { type Client, connect } from "@minikafka/client";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { again } from "./support/again.ts";
import { trouble } from "./support/cluster-trouble.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { type Dice, dice } from "./support/dice.ts";
import { NumberFeed } from "./support/number-feed.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";
import { GROUP, TransformingWorker } from "./support/transforming-worker.ts";

const NUMBERS = 8 * Number(process.env.MINIKAFKA_TRANSFERS ?? 40);
const TROUBLES = Number(process.env.MINIKAFKA_KILLS ?? 2);
const PARTITIONS = 4;

/** Where the group is to be at the end, by partition. */
type Ends = readonly number[];

async function feed(client: Client): Promise<Ends> {
  const feed = new NumberFeed(client, PARTITIONS);
  while (feed.next < NUMBERS) await feed.sendTen();
  await feed.close();
  return feed.ends;
}

async function committedOffsets(client: Client): Promise<number[]> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: "numbers", partition }));
  const offsets = await again(() => client.admin().fetchOffsets(GROUP, { partitions }));
  return offsets.map(({ offset }) => offset ?? 0);
}

async function readAll(client: Client, isolation: "read_committed" | "read_uncommitted"): Promise<number[]> {
  const numbers: number[] = [];
  const consumer = client.consumer({ isolation, autoOffsetReset: "earliest" });
  consumer.assign([0, 1, 2].map((partition) => ({ topic: "squares", partition })));
  do for (const { value } of await consumer.poll({ timeoutMs: 1_000 })) numbers.push(Number(`${value}`));
  while ((await consumer.lag()).some(({ lag }) => lag !== 0));
  await consumer.close();
  return numbers.sort((one, other) => one - other);
}

async function openBroker(brokers: number) {
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const lag = brokers > 1 ? ["--replica-lag-time-ms", "1000"] : [];
  const broker = new RestartedDaemon(proxy, ["--brokers", `${brokers}`, ...lag]);
  await broker.start();
  const office = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => office.close().catch(() => {}));
  const config = { segment_bytes: 16_384, ...(brokers > 1 && { min_insync_replicas: 2 }) };
  const topic = { replicationFactor: brokers, config };
  await office.admin().createTopic({ topic: "numbers", partitions: PARTITIONS, ...topic });
  await office.admin().createTopic({ topic: "squares", partitions: 3, ...topic });
  return { proxy, broker, office };
}

type World = Awaited<ReturnType<typeof openBroker>> & { readonly below: Dice };

/** Two workers, until the group has committed all; `disturb` now and then in between. */
async function work({ proxy, office, below }: World, disturb: () => Promise<void>): Promise<void> {
  let ends: Ends | null = null;
  let readSoFar = 0;
  let troubles = 0;
  let inTrouble: Promise<void> = Promise.resolve();
  const world = {
    below,
    port: proxy.port,
    bytesUntilCut: () => 3_000 + below(below(4) === 0 ? 100_000 : 30_000),
    isDone: async () => {
      const wanted = ends;
      if (wanted === null) return false;
      const offsets = await committedOffsets(office);
      return offsets.every((offset, partition) => offset >= (wanted[partition] ?? 0));
    },
    // Each number is read by somebody, so that all troubles come, whatever the workers draw.
    read: (count: number) => {
      readSoFar += count;
      if (troubles >= TROUBLES || readSoFar < ((troubles + 1) * NUMBERS) / (TROUBLES + 1)) return;
      troubles += 1;
      inTrouble = inTrouble.then(disturb);
      inTrouble.catch(() => {});
    },
  };
  const workers = ["a", "b"].map((name) => new TransformingWorker(name, world).run());
  const feeding = feed(office).then((found) => {
    ends = found;
  });
  await Promise.all([feeding, ...workers]);
  await inTrouble;
  expect(troubles).toBe(TROUBLES);
}

async function transformTest(brokers: number, disturb: (world: World) => Promise<void>): Promise<void> {
  const seed = Number(process.env.MINIKAFKA_SEED ?? 1);
  const world = { ...(await openBroker(brokers)), below: dice(seed) };
  onTestFailed(() => console.error(`seed ${seed}\n${world.broker.complaints}`));
  await work(world, () => disturb(world));
  const squares = await readAll(world.office, "read_committed");
  expect(squares).toEqual(Array.from({ length: NUMBERS }, (_, number) => number * number));
  await expectNothingOpen(world.office);
  const everything = await readAll(world.office, "read_uncommitted");
  expect(everything.length, "some were aborted").toBeGreaterThan(NUMBERS);
  expect(await world.broker.end("SIGTERM")).toBe(0);
}

async function expectNothingOpen(client: Client): Promise<void> {
  for (const [topic, partitions] of [
    ["numbers", PARTITIONS],
    ["squares", 3],
  ] as const)
    for (let partition = 0; partition < partitions; partition += 1) {
      const endFor = async (isolation: "read_committed" | "read_uncommitted") =>
        (await client.admin().listOffsets({ topic, partition, at: "latest", isolation })).offset;
      expect([topic, await endFor("read_committed")]).toEqual([topic, await endFor("read_uncommitted")]);
    }
}

async function kill({ broker }: World): Promise<void> {
  await broker.end("SIGKILL");
  await broker.start();
}

test("each number is squared exactly once, whatever befalls those who do it and the broker", async () => {
  await transformTest(1, kill);
}, 900_000);

test("so it is over three brokers, whose leaders and coordinators change", async () => {
  let count = 0;
  const topics = ["numbers", "squares", "__transaction_state", "__consumer_offsets"];
  await transformTest(3, async (world) => {
    count += 1;
    if (count % 2 === 0) await kill(world);
    else await trouble(world.office, topics, world.below);
  });
}, 900_000);
