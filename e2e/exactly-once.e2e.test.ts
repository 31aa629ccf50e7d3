/**
 * An idempotent producer behind a proxy that cuts connections, on a broker that is killed again and again. Each number is in
 * the log once, in order for each key. More of them: npm run exactly-once.
 */
import { type Client, connect, type RecordMetadata } from "@minikafka/client";
import { expect, test } from "vitest";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { dice } from "./support/dice.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";

const RECORDS = Number(process.env.MINIKAFKA_RECORDS ?? 3_000);
const KILLS = Number(process.env.MINIKAFKA_KILLS ?? 3);
const KEYS = 7;
const PARTITIONS = 3;

async function valuesByPartition(
  client: Client,
): Promise<{ key: string; number: number; offset: number }[][]> {
  const partitions = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const found = [];
    const place = { topic: "orders", partition };
    const { offset: end } = await client.admin().listOffsets({ ...place, at: "latest" });
    const consumer = client.consumer({ autoOffsetReset: "earliest" });
    consumer.assign([place]);
    while (found.length < (end ?? 0)) {
      for (const { key, value, offset } of await consumer.poll({ timeoutMs: 1_000 }))
        found.push({ key: `${key}`, number: Number(`${value}`), offset });
    }
    await consumer.close();
    partitions.push(found);
  }
  return partitions;
}

test("numbers that were sent through broken connections to a broker that was killed are there once, in order per key", async () => {
  const seed = Number(process.env.MINIKAFKA_SEED ?? 1);
  const below = dice(seed);
  const proxy = await CuttingProxy.open(() => 500 + below(below(8) === 0 ? 60_000 : 6_000));
  const broker = new RestartedDaemon(proxy);
  await broker.start();
  proxy.isCutting = false;
  const client = await connect({ host: "127.0.0.1", port: proxy.port }, { requestTimeoutMs: 2_000 });
  await client
    .admin()
    .createTopic({ topic: "orders", partitions: PARTITIONS, config: { segment_bytes: 65_536 } });
  proxy.isCutting = true;
  proxy.cutAll();
  const producer = client.producer({ idempotent: true, batchBytes: 700 });
  const sends: Promise<RecordMetadata>[] = [];
  let acknowledged = 0;
  let kills = 0;
  const killsDue = () => kills < KILLS && acknowledged > ((kills + 1) * RECORDS) / (KILLS + 1);
  for (let number = 0; number < RECORDS; number += 1) {
    const sent = producer.send({ topic: "orders", key: `k${number % KEYS}`, value: `${number}` });
    sends.push(sent.finally(() => (acknowledged += 1)));
    if (number % 50 === 49) await sends[Math.max(0, number - 300)];
    if (killsDue()) {
      kills += 1;
      await broker.end("SIGKILL");
      await broker.start();
    }
  }
  const landed = await Promise.all(sends);
  const reader = await connect({ port: proxy.target ?? 0 });
  const partitions = await valuesByPartition(reader);
  await reader.close();
  const all = partitions.flat().map(({ number }) => number);
  expect(
    all.sort((one, other) => one - other),
    `seed ${seed}`,
  ).toEqual(sends.map((_, number) => number));
  for (const [partition, records] of partitions.entries()) {
    const last = new Map<string, number>();
    for (const { key, number, offset } of records) {
      expect(number).toBeGreaterThan(last.get(key) ?? -1);
      last.set(key, number);
      expect(landed[number]).toMatchObject({ partition, offset });
    }
  }
  expect(kills).toBe(KILLS);
  // How many there are depends on how records came together; that there were some does not.
  expect(proxy.cuts).toBeGreaterThanOrEqual(3);
  await client.close();
  expect(await broker.end("SIGTERM")).toBe(0);
}, 900_000);
