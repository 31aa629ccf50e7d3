/** `bench e2e`: how long a record takes from its producer to its consumer, one record after the other. */
import type { Consumer, Producer } from "@minikafka/client";
import { topicEnds } from "../consume/topic-ends.ts";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { type AcksText, acksOf } from "../input/arguments.ts";
import { type Session, withSession } from "../session.ts";
import { TIMEOUT_DEFAULT_MS } from "../settings.ts";
import { measure, recordsReport } from "./bench-run.ts";
import { type BenchTopicOptions, withBenchTopic } from "./bench-topic.ts";
import type { BoundOptions, Bounds } from "./bounds.ts";
import type { Measurement } from "./measurement.ts";
import { Payloads } from "./payload.ts";

export interface RoundTripBenchOptions extends BoundOptions, BenchTopicOptions {
  readonly recordSize: number;
  readonly acks: AcksText;
}

const CLOSE_MS = 1_000;

export function benchRoundTrip(context: Context, options: RoundTripBenchOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    await withBenchTopic(context, session, options, async (topic) => {
      const { client } = session;
      const producer = client.producer({ acks: acksOf(options.acks) });
      const consumer = await listening(context, session, topic);
      try {
        await measure(
          context,
          { ...options, about: { bench: "e2e", topic }, report: recordsReport("sent and received") },
          (measurement, bounds) =>
            sendAround({ context, topic, producer, consumer, options }, measurement, bounds),
        );
      } finally {
        await closed(producer, consumer);
      }
    });
    return undefined;
  });
}

/** A consumer of what comes from now on. */
async function listening(context: Context, session: Session, topic: string): Promise<Consumer> {
  const places = await topicEnds(session, { topics: [topic] }, context.interrupted);
  const consumer = session.client.consumer({ fetchAhead: true });
  consumer.assign(places.map(({ partition, end }) => ({ topic, partition, offset: end })));
  return consumer;
}

async function closed(...parts: { close(options: { timeoutMs: number }): Promise<void> }[]): Promise<void> {
  await Promise.all(parts.map((part) => part.close({ timeoutMs: CLOSE_MS }).catch(() => undefined)));
}

interface RoundTrips {
  readonly context: Context;
  readonly topic: string;
  readonly producer: Producer;
  readonly consumer: Consumer;
  readonly options: RoundTripBenchOptions;
}

async function sendAround(trips: RoundTrips, measurement: Measurement, bounds: Bounds): Promise<void> {
  const { context, topic, producer, options } = trips;
  const { interrupted: signal } = context;
  const payloads = new Payloads(options.recordSize);
  try {
    while ((await bounds.turn(measurement.records, 1)) > 0) {
      const beganMs = performance.now();
      const sent = producer.send({ topic, value: payloads.next() });
      // Whichever comes first: a consumer may see a record before its producer is told of it.
      await Promise.all([sent, received(trips, sent)]);
      measurement.add(1, options.recordSize, { beganMs });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Others may write to a topic that was named: theirs are passed over. Throws TIMEOUT. */
async function received(
  { context, consumer }: RoundTrips,
  sent: Promise<{ readonly partition: number; readonly offset: number | null }>,
): Promise<void> {
  const timeoutMs = context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS;
  const { interrupted: signal } = context;
  for (;;) {
    const records = await consumer.poll({ timeoutMs, signal });
    if (records.length === 0)
      throw new CliError("TIMEOUT", `a record that was sent did not come within ${timeoutMs} ms`);
    const { partition, offset } = await sent;
    if (offset === null || records.some((one) => one.partition === partition && one.offset >= offset)) return;
  }
}
