/** Consumer groups over real daemons, by the system's clock: what a group's members see, however its broker and links fare. */
import {
  type Client,
  type Consumer,
  type ConsumerOptions,
  connect,
  isRetriable,
  type Rebalance,
} from "@minikafka/client";
import { expect, onTestFinished, test } from "vitest";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { startDaemon, temporaryFolder } from "./support/daemon.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";

const PARTITIONS = 4;
const FAST = { heartbeatIntervalMs: 50, autoCommitIntervalMs: 50, autoOffsetReset: "earliest" } as const;

async function clientOf(port: number): Promise<Client> {
  const client = await connect({ port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => client.close().catch(() => {}));
  return client;
}

async function withTopic(partitions = PARTITIONS, arguments_: readonly string[] = []) {
  const daemon = await startDaemon(temporaryFolder(), ["--log-level", "error", ...arguments_]);
  const client = await clientOf(daemon.port);
  await client.admin().createTopic({ topic: "jobs", partitions });
  return { daemon, client };
}

/** Numbers, one after the other over the partitions. */
async function produce(client: Client, from: number, to: number, partitions = PARTITIONS): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  const records = numbers.map((number) => ({
    topic: "jobs",
    partition: number % partitions,
    value: `${number}`,
  }));
  await client.producer({ idempotent: true }).sendMany(records);
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);
const inOrder = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);
const numbers = (records: readonly { readonly value: Buffer | null }[]) =>
  records.map(({ value }) => Number(`${value}`));

/** A member that works on records one by one until it is stopped, and notes each. */
class Worker {
  readonly consumer: Consumer;
  readonly done: number[] = [];
  readonly #work: Promise<void>;

  constructor(client: Client, options: ConsumerOptions = {}) {
    this.consumer = client.consumer({ groupId: "workers", ...FAST, ...options });
    void this.consumer.subscribe(["jobs"]);
    this.#work = this.#loop();
  }

  async #loop(): Promise<void> {
    for await (const { value } of this.consumer) this.done.push(Number(`${value}`));
  }

  async stop(): Promise<void> {
    await this.consumer.close();
    await this.#work;
  }
}

/** Until `holds`, which asks the world itself; the test's own bound ends it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

test("two consumers share four partitions and hand two of them over without a record twice or none", async () => {
  const { daemon, client } = await withTopic();
  await produce(client, 0, 400);
  const first = new Worker(client);
  await first.consumer.ready();
  expect(first.consumer.assignment.map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
  const second = new Worker(await clientOf(daemon.port));
  await produce(client, 400, 800);
  await second.consumer.ready();
  await produce(client, 800, 1_200);
  await until(() => first.done.length + second.done.length >= 1_200);
  expect(first.consumer.assignment.length + second.consumer.assignment.length).toBe(PARTITIONS);
  expect(second.consumer.assignment).toHaveLength(2);
  await first.stop();
  await until(() => second.consumer.assignment.length === PARTITIONS);
  await produce(client, 1_200, 1_300);
  await until(() => first.done.length + second.done.length >= 1_300);
  await second.stop();
  expect(inOrder([...first.done, ...second.done])).toEqual(upTo(1_300));
  expect(second.done.length).toBeGreaterThan(100);
});

test("position and commit are independent, and a crash replays or skips what lies between them", async () => {
  const { client } = await withTopic(1);
  await produce(client, 0, 10, 1);
  const options = { groupId: "g", memberId: "m", autoCommit: false, ...FAST };
  const place = { topic: "jobs", partition: 0 };
  const replayed = client.consumer(options);
  await replayed.subscribe(["jobs"]);
  const before = numbers(await replayed.poll({ maxRecords: 3, timeoutMs: 5_000 }));
  expect([before, await replayed.position(place), (await replayed.committed())[0]?.offset]).toEqual([
    [0, 1, 2],
    3,
    null,
  ]);
  // As a crash does: nothing is committed, and nobody leaves.
  await replayed.close({ leave: false });
  const skipping = client.consumer(options);
  await skipping.subscribe(["jobs"]);
  expect(numbers(await skipping.poll({ maxRecords: 4, timeoutMs: 5_000 }))).toEqual([0, 1, 2, 3]);
  await skipping.commit();
  await skipping.close({ leave: false });
  const last = client.consumer(options);
  await last.subscribe(["jobs"]);
  expect(numbers(await last.poll({ timeoutMs: 5_000 }))).toEqual([4, 5, 6, 7, 8, 9]);
  await last.close();
});

test("a consumer that is cut off hands nothing out after its session, its partitions move, and back again it has lost them", async () => {
  const { daemon, client } = await withTopic(2);
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  proxy.target = daemon.port;
  const changes: Rebalance[] = [];
  const cut = (await clientOf(proxy.port)).consumer({
    groupId: "g",
    memberId: "cut off",
    sessionTimeoutMs: 3_000,
    onRebalance: (change) => void changes.push(change),
    ...FAST,
  });
  await produce(client, 0, 20, 2);
  await cut.subscribe(["jobs"]);
  await cut.ready();
  expect(numbers(await cut.poll({ maxRecords: 2, timeoutMs: 5_000 }))).toHaveLength(2);
  proxy.target = null;
  proxy.cutAll();
  const heir = client.consumer({ groupId: "g", memberId: "heir", ...FAST });
  await heir.subscribe(["jobs"]);
  await heir.ready();
  // The others are in its memory, but they are the heir's now. It may say why it has nothing.
  const told = await cut.poll().catch((error: unknown) => (isRetriable(error) ? [] : error));
  expect(told).toEqual([]);
  const found: number[] = [];
  while (found.length < 20) found.push(...numbers(await heir.poll({ timeoutMs: 1_000 })));
  expect(inOrder(found)).toEqual(upTo(20));
  proxy.target = daemon.port;
  await until(() => changes.some(({ lost }) => lost.length === 2));
  // Asking for more says that the heir is done with what it has in hand.
  await heir.poll();
  await until(() => cut.assignment.length === 1 && heir.assignment.length === 1);
  await cut.close();
});

test("connections that break again and again cost no membership, and no record comes twice", async () => {
  const { daemon, client } = await withTopic();
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  proxy.target = daemon.port;
  const worker = new Worker(await clientOf(proxy.port));
  await worker.consumer.ready();
  const { generation } = worker.consumer;
  for (let cut = 0; cut < 5; cut += 1) {
    await produce(client, cut * 200, (cut + 1) * 200);
    await until(() => worker.done.length > cut * 200 + 50);
    proxy.cutAll();
  }
  await until(() => worker.done.length >= 1_000);
  expect(worker.consumer.generation).toBe(generation);
  await worker.stop();
  expect(inOrder(worker.done)).toEqual(upTo(1_000));
});

test("a broker that is killed and restarted under a running group loses neither members nor records", async () => {
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const broker = new RestartedDaemon(proxy);
  await broker.start();
  const client = await clientOf(proxy.port);
  await client.admin().createTopic({ topic: "jobs", partitions: PARTITIONS });
  const workers = [new Worker(client), new Worker(await clientOf(proxy.port))];
  for (const { consumer } of workers) await consumer.ready();
  const counted = () => workers.reduce((sum, { done }) => sum + done.length, 0);
  await until(() => workers.every(({ consumer }) => consumer.assignment.length === 2));
  const generations = workers.map(({ consumer }) => consumer.generation);
  for (let kill = 0; kill < 3; kill += 1) {
    await produce(client, kill * 300, (kill + 1) * 300);
    await until(() => counted() > kill * 300 + 100);
    await broker.end("SIGKILL");
    await broker.start();
  }
  await until(() => counted() >= 900);
  // Nobody was expired, so nobody had to begin anew: not even a record comes twice.
  expect(workers.map(({ consumer }) => consumer.generation)).toEqual(generations);
  expect(inOrder(workers.flatMap(({ done }) => done))).toEqual(upTo(900));
  for (const worker of workers) await worker.stop();
  const committed = await client.admin().fetchOffsets("workers");
  expect(committed.map(({ offset }) => offset)).toEqual([225, 225, 225, 225]);
  await client.close();
  expect(await broker.end("SIGTERM")).toBe(0);
});

test("under immediate, where an old owner may still be at work when a new one begins, nothing is skipped", async () => {
  const { daemon, client } = await withTopic(PARTITIONS, ["--rebalance", "immediate"]);
  await produce(client, 0, 400);
  const first = new Worker(client);
  await until(() => first.done.length > 50);
  const second = new Worker(await clientOf(daemon.port));
  await produce(client, 400, 800);
  await until(() => first.consumer.assignment.length === 2 && second.consumer.assignment.length === 2);
  await produce(client, 800, 1_000);
  await until(() => new Set([...first.done, ...second.done]).size === 1_000);
  await first.stop();
  await second.stop();
});

test("a topic that is deleted under a group stops nobody from reading the others", async () => {
  const { client } = await withTopic(1);
  await client.admin().createTopic({ topic: "bills" });
  const consumer = client.consumer({ groupId: "g", ...FAST });
  await consumer.subscribe(["bills", "jobs"]);
  await consumer.ready();
  const next = consumer.records().next();
  await client.admin().deleteTopic("bills");
  await until(() => consumer.assignment.length === 1);
  await produce(client, 7, 8, 1);
  expect(`${(await next).value?.value}`).toBe("7");
  await consumer.close();
});

test("a member is a member when subscribe resolves, and none when close does", async () => {
  const { client } = await withTopic(1);
  const consumer = client.consumer({ groupId: "g", memberId: "m", assignor: "sticky", ...FAST });
  await consumer.subscribe(["jobs"]);
  const described = await client.call("describe_group", { group_id: "g" });
  expect(described).toMatchObject({ assignor: "sticky", members: [{ member_id: "m", topics: ["jobs"] }] });
  await consumer.close();
  expect(await client.call("describe_group", { group_id: "g" })).toMatchObject({
    state: "empty",
    members: [],
  });
});

test("a busy, a paused and an empty partition keep nobody from the records of the others", async () => {
  const { client } = await withTopic();
  const busy = Array.from({ length: 3_000 }, () => ({
    topic: "jobs",
    partition: 0,
    value: "x".repeat(1_000),
  }));
  await client.producer().sendMany(busy);
  await client.producer().sendMany([
    { topic: "jobs", partition: 1, value: "paused" },
    { topic: "jobs", partition: 3, value: "mine" },
  ]);
  const consumer = client.consumer({ groupId: "g", fetchBytes: 100_000, ...FAST });
  await consumer.subscribe(["jobs"]);
  await consumer.ready();
  consumer.pause([{ topic: "jobs", partition: 1 }]);
  let polls = 0;
  for (let seen = false; !seen; polls += 1) {
    const values = (await consumer.poll({ timeoutMs: 5_000 })).map(({ value }) => `${value}`);
    expect(values).not.toContain("paused");
    seen = values.includes("mine");
  }
  expect(polls).toBeLessThan(6);
  await consumer.close();
});
