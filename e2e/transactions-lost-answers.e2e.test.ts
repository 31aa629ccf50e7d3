/**
 * Transactions through connections that are cut, on a broker that is killed, also in the middle of a commit. Each number is shown
 * once in both topics, and the group's offset is that of the last one. More of them: MINIKAFKA_TRANSACTIONS, MINIKAFKA_KILLS.
 */
import { type Client, connect, type EventKind, isFateUnknown, type MiniKafkaError } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { valuesOf } from "./support/committed-values.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { dice } from "./support/dice.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";

const TRANSACTIONS = Number(process.env.MINIKAFKA_TRANSACTIONS ?? 25);
const KILLS = Number(process.env.MINIKAFKA_KILLS ?? 3);
/** What a broker tells of a commit, in this order. */
const END_KINDS = ["transaction_prepared", "marker_written", "transaction_completed"] as const;

async function copying(bytesUntilCut: () => number) {
  const proxy = await CuttingProxy.open(bytesUntilCut);
  const broker = new RestartedDaemon(proxy);
  await broker.start();
  proxy.isCutting = false;
  const client = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => client.close());
  for (const topic of ["left", "right"]) await client.admin().createTopic({ topic });
  const producer = client.producer({ transactionalId: "copier" });
  /** Number `n` into both topics, and the group's offset behind it. */
  const begin = async (number: number) => {
    const tx = await producer.beginTransaction();
    for (const topic of ["left", "right"]) void tx.send({ topic, partition: 0, value: `${number}` });
    await tx.sendOffsets({
      groupId: "copies",
      offsets: [{ topic: "left", partition: 0, offset: number + 1 }],
    });
    return tx;
  };
  const check = async (count: number, seed: number) => {
    proxy.isCutting = false;
    proxy.cutAll();
    const reader: Client = await connect({ port: proxy.target ?? 0 });
    const numbers = Array.from({ length: count }, (_, number) => `${number}`);
    for (const topic of ["left", "right"])
      expect(await valuesOf(reader, topic), `seed ${seed}`).toEqual(numbers);
    expect(await reader.admin().fetchOffsets("copies")).toMatchObject([{ offset: count }]);
    await reader.close();
  };
  return { proxy, broker, client, producer, begin, check };
}

test("transactions whose requests and answers are lost half way are all committed, each once and whole", async () => {
  const seed = Number(process.env.MINIKAFKA_SEED ?? 1);
  const below = dice(seed);
  const { proxy, begin, check } = await copying(() => 200 + below(below(4) === 0 ? 12_000 : 2_500));
  proxy.isCutting = true;
  proxy.cutAll();
  for (let number = 0; number < TRANSACTIONS; number += 1) {
    if (below(5) === 0) await (await begin(number)).abort();
    const tx = await begin(number);
    await tx.commit();
  }
  expect(proxy.cuts).toBeGreaterThan(5);
  await check(TRANSACTIONS, seed);
});

/** A watch of the broker that is there now. */
async function watching(port: number) {
  const client = await connect({ port });
  const events = client.stepper().events({ kinds: [...END_KINDS] });
  await events.open();
  /** Until an event of the kind has come. */
  const until = async (kind: EventKind): Promise<void> => {
    for await (const event of events) if (event.kind === kind) break;
    await client.close();
  };
  return { until };
}

test("a broker that is killed in the middle of a commit finishes it, in all partitions and for the offsets alike", async () => {
  const { proxy, broker, begin, check } = await copying(() => Number.POSITIVE_INFINITY);
  let number = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    await (await begin(number++)).commit();
    const tx = await begin(number++);
    const watch = await watching(proxy.target ?? 0);
    const committed = tx.commit();
    await watch.until(END_KINDS[kill % END_KINDS.length] ?? "marker_written");
    await broker.end("SIGKILL");
    await broker.start();
    await committed;
  }
  await check(number, 0);
});

test("an open transaction of a producer that died with the broker is ended by its next instance", async () => {
  const { broker, client, begin, check } = await copying(() => Number.POSITIVE_INFINITY);
  await (await begin(0)).commit();
  const lost = await begin(9);
  await client.admin().describeTransaction("copier");
  await broker.end("SIGKILL");
  await broker.start();
  const next = client.producer({ transactionalId: "copier" });
  await next.transaction((tx) => {
    for (const topic of ["left", "right"]) void tx.send({ topic, partition: 0, value: "1" });
    return tx.sendOffsets({ groupId: "copies", offsets: [{ topic: "left", partition: 0, offset: 2 }] });
  });
  const late: MiniKafkaError = await lost.commit().then(
    () => Promise.reject(new Error("the zombie has committed")),
    (error) => error,
  );
  expect([late.fatal, isFateUnknown(late)]).toEqual([true, false]);
  await check(2, 0);
});
