/** A topic that is deleted and made anew under a group's members, over a real daemon: the new one is read from its beginning. */
import { type ConsumerOptions, connect, type Rebalance } from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";

const FAST = { heartbeatIntervalMs: 50, autoCommitIntervalMs: 50, autoOffsetReset: "earliest" } as const;
const JOBS = { topic: "jobs", partition: 0 };

async function setUp(options: ConsumerOptions = {}) {
  const daemon = await startDaemon(temporaryFolder(), ["--log-level", "error"]);
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  proxy.target = daemon.port;
  const client = await connect({ port: daemon.port });
  const behindProxy = await connect({ port: proxy.port });
  onTestFinished(async () => {
    await behindProxy.close();
    await client.close();
  });
  const admin = client.admin();
  const produce = async (name: string, count: number) => {
    const values = Array.from({ length: count }, (_, index) => `${name} ${index}`);
    await client.producer({ acks: "all" }).sendMany(values.map((value) => ({ ...JOBS, value })));
    return values;
  };
  /** While the consumer is cut off, so that it does not see that there is no topic. */
  const makeAnew = async (count: number) => {
    proxy.target = null;
    proxy.cutAll();
    await admin.deleteTopic("jobs");
    await admin.createTopic({ topic: "jobs", partitions: 1 });
    const values = await produce("new", count);
    proxy.target = daemon.port;
    return values;
  };
  const told: Pick<Rebalance, "assigned" | "revoked" | "lost">[] = [];
  const consumer = behindProxy.consumer({
    groupId: "workers",
    ...FAST,
    ...options,
    onRebalance: ({ assigned, revoked, lost }) => void told.push({ assigned, revoked, lost }),
  });
  const committed = async () => (await admin.fetchOffsets("workers"))[0]?.offset ?? null;
  await admin.createTopic({ topic: "jobs", partitions: 1 });
  const old = await produce("old", 20);
  await consumer.subscribe(["jobs"]);
  await consumer.ready();
  return { client, consumer, told, old, makeAnew, committed };
}

const MADE_ANEW = [
  { assigned: [JOBS], revoked: [], lost: [] },
  { assigned: [], revoked: [], lost: [JOBS] },
  { assigned: [JOBS], revoked: [], lost: [] },
];

/** Until `holds`, which asks the world itself; the test's own bound ends it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

test("a loop whose connection is lost while its topic is made anew reads the new one from its beginning, and commits that", async () => {
  const { consumer, told, old, makeAnew, committed } = await setUp();
  const read: string[] = [];
  const loop = (async () => {
    for await (const { value } of consumer) read.push(`${value}`);
  })();
  await until(async () => read.length === old.length && (await committed()) === old.length);
  // More than there were before, so that the old position is a position in the new topic too.
  const values = await makeAnew(50);
  await until(async () => read.at(-1) === values.at(-1) && told.length === 3 && (await committed()) === 50);
  expect(told).toEqual(MADE_ANEW);
  expect(read).toEqual([...old, ...values]);
  await consumer.close();
  await loop;
});

test("a caller that has records of the old topic in hand commits nothing of it in the new one, and whoever reads next reads all of that", async () => {
  const { client, consumer, told, makeAnew, committed } = await setUp();
  await consumer.poll({ maxRecords: 10, timeoutMs: 5_000 });
  expect(await consumer.poll({ maxRecords: 10, timeoutMs: 5_000 })).toHaveLength(10);
  const values = await makeAnew(30);
  await until(async () => told.length === 3 && (await committed()) !== null);
  expect(told).toEqual(MADE_ANEW);
  await consumer.close();
  expect(await committed()).toBe(0);
  const next = client.consumer({ groupId: "workers", ...FAST });
  await next.subscribe(["jobs"]);
  const found: string[] = [];
  while (found.length < values.length)
    found.push(...(await next.poll({ timeoutMs: 1_000 })).map(({ value }) => `${value}`));
  expect(found).toEqual(values);
  await next.close();
});
