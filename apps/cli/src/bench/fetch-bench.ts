/** `bench fetch`: how fast records are read, one fetch after the other, and how long each fetch takes. */
import type { Client } from "@minikafka/client";
import { topicEnds } from "../consume/topic-ends.ts";
import type { Context } from "../context.ts";
import { withSession } from "../session.ts";
import { measure, recordsReport, showing } from "./bench-run.ts";
import { type BenchTopicOptions, withBenchTopic } from "./bench-topic.ts";
import { type BoundOptions, Bounds } from "./bounds.ts";
import { Measurement, progressText } from "./measurement.ts";
import { produceAll } from "./produce-bench.ts";

export interface FetchBenchOptions extends BoundOptions, BenchTopicOptions {
  readonly recordSize: number;
  readonly batchSize: number;
  readonly fetchSize: number;
}

/** For records that do not come any more: what is left are markers, or somebody deletes meanwhile. */
const PATIENCE_MS = 1_000;
const CLOSE_MS = 1_000;

export function benchFetch(context: Context, options: FetchBenchOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    await withBenchTopic(context, session, options, async (topic, isOwn) => {
      if (isOwn) await fill(context, session.client, topic, options);
      const places = await topicEnds(session, { topics: [topic] }, context.interrupted);
      await measure(
        context,
        { ...options, about: { bench: "fetch", topic }, report: recordsReport("fetched") },
        (measurement, bounds) =>
          fetchAll({ context, client: session.client, places, options }, measurement, bounds),
      );
    });
    return undefined;
  });
}

/** What is to be read, which is not measured. */
async function fill(
  context: Context,
  client: Client,
  topic: string,
  options: FetchBenchOptions,
): Promise<void> {
  const filling = new Measurement();
  const hush = showing(context, () => `filling ${topic}: ${progressText("sent", filling.measured())}`);
  try {
    const bounds = new Bounds({ ...options, throughput: null }, context.interrupted);
    await produceAll({ context, client, topic, options: { ...options, acks: "1" } }, filling, bounds);
  } finally {
    hush();
  }
}

interface Fetching {
  readonly context: Context;
  readonly client: Client;
  readonly places: Awaited<ReturnType<typeof topicEnds>>;
  readonly options: FetchBenchOptions;
}

async function fetchAll(
  { context, client, places, options }: Fetching,
  measurement: Measurement,
  bounds: Bounds,
): Promise<void> {
  const { interrupted: signal } = context;
  // Ahead of the caller's wish the time of a fetch would not be known.
  const consumer = client.consumer({
    autoOffsetReset: "earliest",
    fetchAhead: false,
    fetchBytes: options.fetchSize,
  });
  consumer.assign(places.map(({ topic, partition }) => ({ topic, partition, offset: "beginning" })));
  const ends = new Map(places.map(({ partition, end }) => [partition, end]));
  const unread = new Set(places.filter(({ end }) => end > 0).map(({ partition }) => partition));
  if (unread.size === 0) context.notes.remark("the topic is empty: there is nothing to fetch");
  try {
    while (unread.size > 0) {
      const turn = await bounds.turn(measurement.records, Number.MAX_SAFE_INTEGER);
      if (turn === 0) break;
      const beganMs = performance.now();
      const records = await consumer.poll({
        maxRecords: turn,
        timeoutMs: context.settings.timeoutMs ?? PATIENCE_MS,
        signal,
      });
      const bytes = records.reduce(
        (sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0),
        0,
      );
      if (records.length === 0) break;
      measurement.add(records.length, bytes, { beganMs });
      for (const { partition, offset } of records)
        if (offset + 1 >= (ends.get(partition) ?? 0)) unread.delete(partition);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close({ timeoutMs: CLOSE_MS }).catch(() => undefined);
  }
}
