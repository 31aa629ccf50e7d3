/** Those who write: with acks 0, 1 and all, plain or idempotent, to topics whose leaders stay and whose leaders move. */
import {
  isFateUnknown,
  isRetriable,
  MiniKafkaError,
  type Producer,
  type ProducerOptions,
} from "@minikafka/client";
import { CutClient } from "../cut-client.ts";
import { textOf } from "./history.ts";
import type { SoakWorld } from "./soak-world.ts";

export interface WriterKind {
  readonly name: string;
  readonly topic: string;
  readonly options: ProducerOptions;
  /**
   * What it was acknowledged is there whatever dies. With acks 1 that is so while leaders stay; one that is replaced takes along what
   * its followers had not copied.
   */
  readonly isKept: boolean;
  /** Its records are in the order of their sends also where an answer was lost. */
  readonly isOrdered: boolean;
}

/** One replica: the daemon's death alone can take anything. */
export const LONE = "lone";
/** Three replicas; the leader is the leader for good. */
export const STEADY = "steady";
/** Three replicas, two of which have to be there, and leaders that change. */
export const MOVING = "moving";
export const PLAIN_TOPICS = [LONE, STEADY, MOVING] as const;
export const PLAIN_PARTITIONS = 2;
/** Readers lose more by each death than writers do, and whoever audits reads everything: with so much to read, nobody adds to it. */
const UNREAD_MAX = 1_000;

function plain(topic: string, acks: 0 | 1 | "all", isKept: boolean): WriterKind {
  return { name: `${topic}-acks-${acks}`, topic, options: { acks }, isKept, isOrdered: false };
}

function idempotent(topic: string, options: ProducerOptions = {}): WriterKind {
  const name = `${topic}-idempotent${options.batchBytes === 1 ? "-single" : ""}`;
  return { name, topic, options: { idempotent: true, ...options }, isKept: true, isOrdered: true };
}

export const WRITERS: readonly WriterKind[] = [
  plain(LONE, 0, false),
  plain(LONE, 1, true),
  plain(LONE, "all", true),
  idempotent(LONE),
  plain(STEADY, 0, false),
  plain(STEADY, 1, true),
  plain(STEADY, "all", true),
  plain(MOVING, 1, false),
  plain(MOVING, "all", true),
  idempotent(MOVING),
  idempotent(MOVING, { batchBytes: 1 }),
];

export function kindOf(writer: string): WriterKind {
  const kind = WRITERS.find(({ name }) => name === writer);
  if (kind === undefined) throw new Error(`no writer is called ${writer}`);
  return kind;
}

/** Writes until it is over; then what it has sent is answered, one way or the other. */
export async function write(kind: WriterKind, world: SoakWorld): Promise<void> {
  const { below, port, bytesUntilCut, history, progress } = world;
  const { client } = await CutClient.open(port, bytesUntilCut);
  const producer = client.producer(kind.options);
  let next = 0;
  while (!progress.isOver) {
    const sends = Array.from({ length: 1 + below(12) }, () => send(kind, producer, next++, world));
    await Promise.all(sends);
    // Who waits for no replica is faster than all who read: it goes on when others have got somewhere.
    if (kind.options.acks === 0 || kind.options.acks === 1) await progress.after(1 + below(10));
    while (!progress.isOver && history.unread > UNREAD_MAX) await progress.after(1);
  }
  await producer.close();
  await client.close();
}

async function send(kind: WriterKind, producer: Producer, number: number, world: SoakWorld): Promise<void> {
  const { below, history, progress } = world;
  const { name: writer, topic, isKept } = kind;
  const acks = kind.options.acks ?? "all";
  const partition = below(PLAIN_PARTITIONS);
  const value = textOf(writer, number);
  progress.note(`sent, acks ${acks}`);
  try {
    const { offset } = await producer.send({ topic, partition, value });
    if (acks === 0) return;
    progress.step(`acknowledged, acks ${acks}`);
    if (offset === null) throw new Error(`${value} is acknowledged without an offset`);
    if (isKept) history.keep({ writer, topic, partition, number, offset });
  } catch (error) {
    if (!(error instanceof MiniKafkaError) || !(isFateUnknown(error) || isRetriable(error))) throw error;
    if (!isFateUnknown(error)) history.refused.add(value);
    progress.note(isFateUnknown(error) ? "sends without an answer" : "sends refused");
  }
}
