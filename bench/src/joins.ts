/** How long a consumer of the SDK takes from its subscription to its first record: alone, and beside a member that has to let go. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type Client, type Consumer, connect } from "@minikafka/client";
import { aligned } from "./aligned.ts";
import { startDaemon } from "./daemon.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

const TOPIC = "orders";
const PARTITIONS = 4;

export const JOINS = { rounds: 7 } as const;
export const JOINS_QUICK = { rounds: 3 } as const;

interface Joined {
  readonly what: string;
  readonly ms: readonly number[];
}

export interface JoinsBench {
  readonly rounds: number;
  readonly joined: readonly Joined[];
}

function consumerOf(client: Client, groupId: string): Consumer {
  // Nothing is committed, so that the second member finds records as well.
  return client.consumer({ groupId, autoOffsetReset: "earliest", autoCommit: false });
}

async function firstRecordMs(consumer: Consumer): Promise<number> {
  const startMs = performance.now();
  void consumer.subscribe([TOPIC]);
  for await (const _record of consumer) break;
  return performance.now() - startMs;
}

/** Reads on, as a worker does that has nothing left to do. */
async function readOn(consumer: Consumer): Promise<void> {
  for await (const _record of consumer);
}

/** What each of several consumers took, one after the other. */
export async function measureJoins(
  { rounds }: { readonly rounds: number },
  folder: string,
): Promise<JoinsBench> {
  const daemon = await startDaemon(mkdtempSync(join(folder, "joins-")));
  const client = await connect({ port: daemon.port });
  await client.admin().createTopic({ topic: TOPIC, partitions: PARTITIONS });
  const records = Array.from({ length: PARTITIONS }, (_, partition) => ({
    topic: TOPIC,
    partition,
    value: "v",
  }));
  await client.producer().sendMany(records);
  const [first, alone, beside]: number[][] = [[], [], []];
  for (let round = 0; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    const groupId = `group-${round}`;
    const worker = consumerOf(client, groupId);
    // The first of all also makes the internal topic.
    (round === 0 ? first : alone)?.push(await firstRecordMs(worker));
    const reading = readOn(worker);
    const second = consumerOf(client, groupId);
    if (round > 0) beside?.push(await firstRecordMs(second));
    await Promise.all([worker.close(), second.close(), reading]);
  }
  await client.close();
  await daemon.stop();
  showProgress("");
  const joined = [
    { what: "the first member of all, which makes __consumer_offsets", ms: first ?? [] },
    { what: "alone in its group", ms: alone ?? [] },
    { what: "beside one that has to let go", ms: beside ?? [] },
  ];
  return { rounds, joined };
}

export function joinsTable({ rounds, joined }: JoinsBench): string {
  const rows = joined.map(({ what, ms }) => [what, median(ms).toFixed(0), Math.max(...ms).toFixed(0)]);
  return [
    `from subscribe to the first record, in ms; ${rounds} rounds, heartbeats every 3 s as by default`,
    "",
    ...aligned([["a member", "median", "most"], ...rows]),
  ].join("\n");
}
