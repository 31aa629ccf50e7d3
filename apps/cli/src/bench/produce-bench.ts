/** `bench produce`: how fast records are taken, and how long each waits for its acknowledgement. */
import type { Client, Producer, ProducerOptions } from "@minikafka/client";
import type { Context } from "../context.ts";
import { type AcksText, acksOf, type CompressionText } from "../input/arguments.ts";
import { withSession } from "../session.ts";
import { measure, recordsReport } from "./bench-run.ts";
import { type BenchTopicOptions, withBenchTopic } from "./bench-topic.ts";
import type { BoundOptions, Bounds } from "./bounds.ts";
import type { Measurement } from "./measurement.ts";
import { Payloads } from "./payload.ts";

export interface ProduceBenchOptions extends BoundOptions, BenchTopicOptions {
  readonly recordSize: number;
  readonly batchSize: number;
  readonly acks: AcksText;
  readonly compression?: CompressionText;
  readonly idempotent?: true;
}

/** Kafka's max.in.flight.requests.per.connection. */
const IN_FLIGHT = 5;
/** What waits in this process counts as latency: a few batches, and not all of the 32 MiB that a producer may hold. */
const BUFFERED_BATCHES = 16;
/** What is handed over between two looks at the buffer. */
const TURN_BYTES = 64 * 1024;
const TURN_RECORDS_MAX = 100;
/** What the producer counts for a record beside its value, and some more. */
const RECORD_OVERHEAD_BYTES = 256;
const CLOSE_MS = 1_000;

export function benchProduce(context: Context, options: ProduceBenchOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    await withBenchTopic(context, session, options, (topic) =>
      measure(
        context,
        { ...options, about: { bench: "produce", topic }, report: recordsReport("sent") },
        (measurement, bounds) =>
          produceAll({ context, client: session.client, topic, options }, measurement, bounds),
      ),
    );
    return undefined;
  });
}

export interface Production {
  readonly context: Context;
  readonly client: Client;
  readonly topic: string;
  readonly options: ProduceBenchOptions;
}

/** Until the bounds say that it is over. Throws the first failure of a record. */
export async function produceAll(
  { context, client, topic, options }: Production,
  measurement: Measurement,
  bounds: Bounds,
): Promise<void> {
  const producer = client.producer(producerOptions(options));
  try {
    await sendAll({ context, producer, topic, recordSize: options.recordSize }, measurement, bounds);
  } finally {
    // Who interrupts has seen enough: what is still out is not waited for.
    await producer.close({ timeoutMs: CLOSE_MS }).catch(() => undefined);
  }
}

interface Sending {
  readonly context: Context;
  readonly producer: Producer;
  readonly topic: string;
  readonly recordSize: number;
}

async function sendAll(
  { context, producer, topic, recordSize }: Sending,
  measurement: Measurement,
  bounds: Bounds,
): Promise<void> {
  const { interrupted: signal } = context;
  const payloads = new Payloads(recordSize);
  let failure: { readonly error: unknown } | null = null;
  const failed = (error: unknown) => {
    failure ??= { error };
  };
  let sent = 0;
  while (failure === null) {
    const turn = await bounds.turn(sent, turnRecords(recordSize));
    if (turn === 0) break;
    const beganMs = performance.now();
    const taken = () => measurement.add(1, recordSize, { beganMs });
    for (let record = 0; record < turn; record++)
      void producer.send({ topic, value: payloads.next() }).then(taken, failed);
    sent += turn;
    await producer.drain({ signal }).catch(unlessAborted(signal));
  }
  if (failure === null) await producer.flush({ signal }).catch(unlessAborted(signal));
  const { error } = (failure as { readonly error: unknown } | null) ?? {};
  if (error !== undefined && !signal.aborted) throw error;
}

function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

function turnRecords(recordSize: number): number {
  return Math.min(TURN_RECORDS_MAX, Math.max(1, Math.floor(TURN_BYTES / recordSize)));
}

function producerOptions(options: ProduceBenchOptions): ProducerOptions {
  const { acks, batchSize: batchBytes, compression, idempotent, partitions, recordSize } = options;
  const buffered = Math.max(batchBytes, recordSize) * BUFFERED_BATCHES * partitions;
  // Half of it may be taken when a turn begins.
  const turns = 2 * turnRecords(recordSize) * (recordSize + RECORD_OVERHEAD_BYTES);
  return {
    acks: acksOf(acks),
    batchBytes,
    bufferBytesMax: Math.max(buffered, turns),
    compression,
    ...(idempotent ? { idempotent } : { inFlightPerPartitionMax: IN_FLIGHT }),
  };
}
