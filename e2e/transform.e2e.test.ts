/**
 * Numbers in, squares out, each exactly once: workers of a group that consume, transform and produce in transactions, while they
 * vanish, come back, change their minds and lose their connections, and the broker is killed. More of it: npm run bank.
 */
import { type Client, connect, type RecordMetadata } from "@minikafka/client";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { again } from "./support/again.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { dice } from "./support/dice.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";
import { GROUP, TransformingWorker } from "./support/transforming-worker.ts";

const NUMBERS = 4 * Number(process.env.MINIKAFKA_TRANSFERS ?? 60);
const KILLS = Number(process.env.MINIKAFKA_KILLS ?? 2);
const PARTITIONS = 4;

/** Where the group is to be at the end, by partition. */
type Ends = number[];

/** Numbers, in transactions of ten; those of every third one are wrong, and aborted before they are sent again. */
async function feed(client: Client): Promise<Ends> {
  const ends: Ends = Array.from({ length: PARTITIONS }, () => 0);
  const producer = client.producer({ transactionalId: "feeder" });
  const send = async (from: number, sign: number): Promise<RecordMetadata[]> => {
    const tx = await producer.beginTransaction();
    const numbers = Array.from({ length: 10 }, (_, index) => from + index);
    const sent = tx.sendMany(
      numbers.map((number) => ({
        topic: "numbers",
        partition: number % PARTITIONS,
        value: `${sign * number}`,
      })),
    );
    const landed = await sent;
    await (sign === 1 ? tx.commit() : tx.abort());
    return landed;
  };
  for (let from = 0; from < NUMBERS; from += 10) {
    if (from % 3 === 0) await send(from, -1.5);
    for (const { partition, offset } of await send(from, 1))
      ends[partition] = Math.max(ends[partition] ?? 0, (offset ?? 0) + 1);
  }
  await producer.close();
  return ends;
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

test("each number is squared exactly once, whatever befalls those who do it and the broker", async () => {
  const seed = Number(process.env.MINIKAFKA_SEED ?? 1);
  onTestFailed(() => console.error(`seed ${seed}`));
  const below = dice(seed);
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const broker = new RestartedDaemon(proxy);
  await broker.start();
  const office = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => office.close().catch(() => {}));
  const config = { segment_bytes: 16_384 };
  await office.admin().createTopic({ topic: "numbers", partitions: PARTITIONS, config });
  await office.admin().createTopic({ topic: "squares", partitions: 3, config });
  let ends: Ends | null = null;
  let squared = 0;
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  const restart = async () => {
    await broker.end("SIGKILL");
    await broker.start();
  };
  const workers = ["a", "b"].map(
    (name) =>
      new TransformingWorker(`worker-${name}`, {
        below,
        port: proxy.port,
        bytesUntilCut: () => 3_000 + below(below(4) === 0 ? 100_000 : 30_000),
        isDone: async () => {
          const wanted = ends;
          if (wanted === null) return false;
          return (await committedOffsets(office)).every(
            (offset, partition) => offset >= (wanted[partition] ?? 0),
          );
        },
        committed: (count) => {
          squared += count;
          if (kills >= KILLS || squared < ((kills + 1) * NUMBERS) / (KILLS + 1)) return;
          kills += 1;
          restarting = restarting.then(restart);
          restarting.catch(() => {});
        },
      }),
  );
  const feeding = feed(office).then((found) => {
    ends = found;
  });
  await Promise.all([feeding, ...workers.map((worker) => worker.run())]);
  await restarting;
  const squares = await readAll(office, "read_committed");
  expect(squares).toEqual(Array.from({ length: NUMBERS }, (_, number) => number * number));
  expect((await readAll(office, "read_uncommitted")).length, "some were aborted").toBeGreaterThan(NUMBERS);
  expect(kills).toBe(KILLS);
  expect(await broker.end("SIGTERM")).toBe(0);
}, 900_000);
