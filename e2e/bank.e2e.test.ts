/**
 * A bank whose transfers are transactions over several partitions, through connections that are cut, instances that are fenced, and
 * a broker that is killed. A reader of committed records follows all the while. What it may see and what not: support/bank-ledger.ts.
 * More of it: npm run bank.
 */
import { type Client, connect } from "@minikafka/client";
import { expect, onTestFailed, onTestFinished, test } from "vitest";
import { expectWhole, follow } from "./support/bank-audit.ts";
import { Branch } from "./support/bank-branch.ts";
import { Ledger } from "./support/bank-ledger.ts";
import { endsOf, readUpTo } from "./support/bank-reading.ts";
import { BALANCES, TOPIC } from "./support/bank-transfer.ts";
import { trouble } from "./support/cluster-trouble.ts";
import { CuttingProxy } from "./support/cutting-proxy.ts";
import { type Dice, dice } from "./support/dice.ts";
import { RestartedDaemon } from "./support/restarted-daemon.ts";

const TRANSFERS = Number(process.env.MINIKAFKA_TRANSFERS ?? 40);
const TROUBLES = Number(process.env.MINIKAFKA_KILLS ?? 2);
const BRANCHES = 4;
const GEOMETRY = { accounts: 6, partitions: 3 } as const;

interface Bank {
  readonly broker: RestartedDaemon;
  readonly proxy: CuttingProxy;
  readonly office: Client;
  readonly below: Dice;
}

async function openBank(below: Dice, brokers: number): Promise<Bank> {
  // The one address of a broker that comes back on another port. The proxies that cut are before this one.
  const proxy = await CuttingProxy.open(() => Number.POSITIVE_INFINITY);
  const lag = brokers > 1 ? ["--replica-lag-time-ms", "1000"] : [];
  const broker = new RestartedDaemon(proxy, [
    "--brokers",
    `${brokers}`,
    "--compaction-interval-ms",
    "200",
    "--lab",
    ...lag,
  ]);
  await broker.start();
  const office = await connect({ port: proxy.port }, { requestTimeoutMs: 5_000 });
  onTestFinished(() => office.close().catch(() => {}));
  const compacted = { cleanup_policy: "compact", delete_retention_ms: 0, min_cleanable_dirty_ratio: 0 };
  for (const [topic, config] of [
    [TOPIC, { segment_bytes: 16_384 }],
    [BALANCES, { segment_bytes: 4_096, ...compacted }],
  ] as const)
    await office.admin().createTopic({
      topic,
      partitions: GEOMETRY.partitions,
      replicationFactor: brokers,
      config: { ...config, ...(brokers > 1 && { min_insync_replicas: 2 }) },
    });
  return { broker, proxy, office, below };
}

/** The daemon dies, mostly, or ends as one that is asked to. */
async function restart({ broker, below }: Bank): Promise<void> {
  await broker.end(below(4) === 0 ? "SIGTERM" : "SIGKILL");
  await broker.start();
}

/** All branches side by side, each with its attempts, and `disturb` now and then in between. */
async function run(branches: readonly Branch[], disturb: () => Promise<void>): Promise<void> {
  let done = 0;
  let troubles = 0;
  let inTrouble: Promise<void> = Promise.resolve();
  const work = async (branch: Branch) => {
    for (let count = TRANSFERS / BRANCHES; count > 0; count -= 1) {
      await branch.transfer();
      done += 1;
      if (troubles >= TROUBLES || done <= ((troubles + 1) * TRANSFERS) / (TROUBLES + 1)) continue;
      troubles += 1;
      // Whoever comes next waits for nobody: transfers go on while the broker is away.
      inTrouble = inTrouble.then(disturb);
      inTrouble.catch(() => {});
    }
  };
  await Promise.all(branches.map(work));
  await inTrouble;
  expect(troubles).toBe(TROUBLES);
  await Promise.all(branches.map((branch) => branch.close()));
}

/** The rules can be broken: whoever reads what is aborted as well finds them broken. */
async function expectSeen(ends: readonly number[], client: Client): Promise<void> {
  const everything = readUpTo(client, new Ledger(GEOMETRY), ends, "read_uncommitted");
  await expect(everything).rejects.toThrow(/both follow/);
}

async function bankTest(brokers: number, disturb: (bank: Bank) => Promise<void>): Promise<void> {
  const seed = Number(process.env.MINIKAFKA_SEED ?? 1);
  const below = dice(seed);
  const bank = await openBank(below, brokers);
  const { broker, proxy, office } = bank;
  onTestFailed(() => console.error(`seed ${seed}\n${broker.complaints}`));
  const bytesUntilCut = () => 2_000 + below(below(4) === 0 ? 100_000 : 20_000);
  const world = { geometry: GEOMETRY, below, port: proxy.port, bytesUntilCut, office };
  const branches = await Promise.all(
    Array.from({ length: BRANCHES }, (_, index) => Branch.open(`branch-${index}`, world)),
  );
  const followed = new Ledger(GEOMETRY);
  const following = follow(office, followed);
  await run(branches, () => disturb(bank));
  await following.over();
  const expectAll = async () => {
    await expectWhole(branches, followed, office, GEOMETRY);
    await expectSeen(await endsOf(office, GEOMETRY, "read_committed"), office);
  };
  await expectAll();
  // What a crash makes of all that is what it was.
  await broker.end("SIGKILL");
  await broker.start();
  await expectAll();
  expect(await broker.end("SIGTERM")).toBe(0);
}

test("transfers through cut connections, fenced instances and a broker that is killed are all there or not at all, and no reader sees another sum", async () => {
  await bankTest(1, restart);
}, 900_000);

test("so they are over three brokers, whose leaders change and of which one may be away", async () => {
  let count = 0;
  await bankTest(3, async (bank) => {
    count += 1;
    if (count % 2 === 0) return restart(bank);
    await trouble(bank.office, [TOPIC, "__transaction_state"], bank.below);
  });
}, 900_000);
