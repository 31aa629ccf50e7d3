/** What a transaction costs beside the same records of an idempotent producer: by its size, and by how many producers are at it. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Client, connect } from "@minikafka/client";
import { aligned } from "./aligned.ts";
import { startDaemon } from "./daemon.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const TOPIC = "orders";
const PARTITIONS = 4;
const VALUE = Buffer.alloc(100, "v");

interface TransactionsPlan {
  readonly rounds: number;
  /** How long each measurement of a round goes on at least. */
  readonly atLeastMs: number;
}

export const TRANSACTIONS: TransactionsPlan = { rounds: 5, atLeastMs: 1_000 };
export const TRANSACTIONS_QUICK: TransactionsPlan = { rounds: 2, atLeastMs: 300 };

interface Shape {
  readonly producers: number;
  /** In each transaction. */
  readonly records: number;
}

const SHAPES: readonly Shape[] = [
  { producers: 1, records: 1 },
  { producers: 1, records: 100 },
  { producers: 1, records: 1_000 },
  { producers: 16, records: 1 },
  { producers: 16, records: 100 },
];

/** Per second. */
interface ShapeResult extends Shape {
  readonly transactions: number;
  /** So many records at a time, each time waited for, without a transaction. */
  readonly plain: number;
}

export interface TransactionsBench extends TransactionsPlan {
  readonly shapes: readonly ShapeResult[];
}

type Turn = () => Promise<unknown>;

/** Every one of `turns` again and again, side by side; returns how many a second. */
async function perSecond(turns: readonly Turn[], atLeastMs: number): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  const goOn = async (turn: Turn) => {
    while (performance.now() - startMs < atLeastMs) {
      await turn();
      count += 1;
    }
  };
  await Promise.all(turns.map(goOn));
  return (count * 1_000) / (performance.now() - startMs);
}

function recordsOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    topic: TOPIC,
    partition: index % PARTITIONS,
    value: VALUE,
  }));
}

function turnsOf(client: Client, { producers, records: count }: Shape) {
  const records = recordsOf(count);
  const numbers = Array.from({ length: producers }, (_, number) => number);
  const transactional = numbers.map((number) => {
    const producer = client.producer({ transactionalId: `${producers}-${count}-${number}` });
    return { producer, turn: () => producer.transaction((tx) => tx.sendMany(records)) };
  });
  const plain = numbers.map(() => {
    const producer = client.producer({ idempotent: true });
    return { producer, turn: () => producer.sendMany(records) };
  });
  return { transactional, plain };
}

async function measureShape(client: Client, shape: Shape, plan: TransactionsPlan): Promise<ShapeResult> {
  const { transactional, plain } = turnsOf(client, shape);
  const [first, second]: number[][] = [[], []];
  for (let round = 0; round <= plan.rounds; round += 1) {
    const transactions = await perSecond(
      transactional.map(({ turn }) => turn),
      plan.atLeastMs,
    );
    const without = await perSecond(
      plain.map(({ turn }) => turn),
      plan.atLeastMs,
    );
    // The first is for the compilers, and makes the internal topic.
    if (round === 0) continue;
    first?.push(transactions);
    second?.push(without);
  }
  await Promise.all([...transactional, ...plain].map(({ producer }) => producer.close()));
  return { ...shape, transactions: median(first ?? []), plain: median(second ?? []) };
}

export async function measureTransactions(
  plan: TransactionsPlan,
  folder: string,
): Promise<TransactionsBench> {
  const daemon = await startDaemon(mkdtempSync(join(folder, "transactions-")));
  const client = await connect({ port: daemon.port });
  await client.admin().createTopic({ topic: TOPIC, partitions: PARTITIONS });
  const shapes: ShapeResult[] = [];
  for (const shape of SHAPES) {
    showProgress(`${shape.producers} producers, ${shape.records} records`);
    shapes.push(await measureShape(client, shape, plan));
  }
  await client.close();
  await daemon.stop();
  showProgress("");
  return { ...plan, shapes };
}

export function transactionsTable({ rounds, shapes }: TransactionsBench): string {
  const rows = shapes.map(({ producers, records, transactions, plain }) => [
    String(producers),
    String(records),
    transactions.toFixed(0),
    (transactions * records).toFixed(0),
    (plain * records).toFixed(0),
    `${((transactions / plain) * 100).toFixed(0)} %`,
  ]);
  const heading = ["producers", "records each", "transactions/s", "records/s", "without/s", "of that"];
  return [
    `records of ${VALUE.length} bytes over ${PARTITIONS} partitions, acks all; medians of ${rounds} rounds`,
    "",
    ...aligned([heading, ...rows]),
  ].join("\n");
}
