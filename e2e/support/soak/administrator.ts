/** Who moves leaders, takes brokers away, and has logs rolled, flushed, compacted and changed, while everybody works. */
import { type Client, hasCode, isRetriable } from "@minikafka/client";
import { again } from "../again.ts";
import { TOPIC as ACCOUNTS, BALANCES } from "../bank-transfer.ts";
import { trouble } from "../cluster-trouble.ts";
import type { SoakWorld } from "./soak-world.ts";
import { LONE, MOVING, STEADY } from "./writers.ts";

/** Topics whose leaders change. */
const MOVED = [MOVING, "numbers", "squares", ACCOUNTS, BALANCES, "__consumer_offsets", "__transaction_state"];
const ROLLED = [LONE, STEADY, MOVING, "numbers", "squares"];
/** What somebody else may be doing just then, or a restart has made pointless. */
const IN_THE_WAY = ["BROKER_NOT_AVAILABLE", "NOT_IN_SYNC_REPLICA", "UNKNOWN_TOPIC"] as const;

type Act = (client: Client, world: SoakWorld) => Promise<unknown>;

const ACTS: Readonly<Record<string, Act>> = {
  "leaders moved, brokers stopped": (client, { below }) => trouble(client, MOVED, below),
  "segments rolled": (client, { below }) => {
    const topic = ROLLED[below(ROLLED.length)] ?? LONE;
    return client.stepper().rollSegment({ topic, partition: below(2) });
  },
  "topics compacted": (client) => client.stepper().compact({ topic: BALANCES }),
  flushes: (client) => client.stepper().flushLogs(),
  "retention applied": (client) => client.stepper().applyRetention(),
  "settings changed": (client, { below }) => {
    const topic = ROLLED[below(ROLLED.length)] ?? LONE;
    return client
      .admin()
      .alterConfig(topic, { segment_bytes: 2_048 << below(8), segment_ms: 1_000 << below(10) });
  },
  "replicas taken out and let in": async (client, { below }) => {
    const place = { topic: MOVING, partition: below(2) };
    const { leaderId, isr } = await client.admin().describePartition(place);
    const brokerId = isr.find((id) => id !== leaderId);
    if (brokerId === undefined) return;
    await client.admin().removeFromIsr(place, brokerId);
    await client.admin().rejoin(place, brokerId);
  },
};

/** Acts now and then until it is over, and leaves every broker running and every replica let in. */
export async function administer(world: SoakWorld): Promise<void> {
  const { below, office, progress } = world;
  const acts = Object.entries(ACTS);
  while (!progress.isOver) {
    await progress.after(10 + below(150));
    const [name, act] = acts[below(2) === 0 ? 0 : below(acts.length)] as [string, Act];
    try {
      await act(office, world);
      progress.note(`admin: ${name}`);
    } catch (error) {
      if (!isRetriable(error) && !hasCode(error, ...IN_THE_WAY)) throw error;
    }
    await startAll(office);
  }
  await startAll(office);
}

async function startAll(client: Client): Promise<void> {
  const { brokers } = await again(() => client.admin().describeCluster());
  for (const { brokerId, state } of brokers)
    if (state !== "running") await again(() => client.admin().startBroker(brokerId));
}
