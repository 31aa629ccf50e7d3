/** `bench start`: how long a broker takes from the start of its process to the first record that it has acknowledged. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { type AcksText, acksOf } from "../input/arguments.ts";
import { OwnBroker } from "../own-broker/own-broker.ts";
import { withSession } from "../session.ts";
import { countReport, measure } from "./bench-run.ts";
import type { BoundOptions, Bounds } from "./bounds.ts";
import type { Measurement } from "./measurement.ts";

export interface StartBenchOptions extends BoundOptions {
  readonly acks: AcksText;
  readonly brokers: number;
}

const TOPIC = "bench";

/** Each on an empty folder, which is gone when it has ended. */
export async function benchStart(context: Context, options: StartBenchOptions): Promise<undefined> {
  const { acks, brokers } = options;
  await measure(
    context,
    { ...options, about: { bench: "start", acks, brokers }, report: countReport("starts") },
    (measurement, bounds) => startAgain({ context, options }, measurement, bounds),
  );
  return undefined;
}

interface Starting {
  readonly context: Context;
  readonly options: StartBenchOptions;
}

async function startAgain(starting: Starting, measurement: Measurement, bounds: Bounds): Promise<void> {
  const { interrupted } = starting.context;
  try {
    while ((await bounds.turn(measurement.records, 1)) > 0) await startOnce(starting, measurement);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
}

async function startOnce({ context, options }: Starting, measurement: Measurement): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "minikafka-bench-"));
  try {
    const { env, interrupted: signal } = context;
    const flags = ["--brokers", String(options.brokers)];
    const beganMs = performance.now();
    const broker = await OwnBroker.start({ dataFolder: join(folder, "data"), flags, env, signal });
    try {
      const target = { address: broker.address, context: null };
      const own = { ...context, settings: { ...context.settings, broker: () => target } };
      await withSession(own, async ({ client }) => {
        await client.admin().createTopic({ topic: TOPIC, replicationFactor: options.brokers }, { signal });
        const producer = client.producer({ acks: acksOf(options.acks) });
        await producer.send({ topic: TOPIC, value: "first" }, { signal });
        measurement.add(1, 0, { beganMs });
        return undefined;
      });
    } finally {
      await broker.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
