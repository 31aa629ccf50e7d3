/** Two brokers in the test's own process, topics that are copied from one to the other, and what both hold to be compared. */
import { type SeenRecord, type StartOptions, startBroker, type TestBroker } from "@minikafka/testing";
import kafkajs, { type Kafka, type Producer } from "kafkajs";
import { onTestFinished } from "vitest";
import { type CommandEnded, command, type RunningCommand, startCommand } from "./cli.ts";
import { temporaryFolder } from "./daemon.ts";

export interface TransferWorld {
  readonly source: TestBroker;
  readonly target: TestBroker;
  /** `export ARGUMENTS --to` the target, run in this process, with a state of its own. */
  export(...arguments_: string[]): Promise<CommandEnded>;
  /** The same as a process, which can be killed. */
  startExport(...arguments_: string[]): RunningCommand;
}

/** Closed when the test is over. */
export async function startedBroker(options: StartOptions): Promise<TestBroker> {
  const broker = await startBroker({ ...options, settings: { port: 0, ...options.settings } });
  onTestFinished(() => broker.close());
  return broker;
}

export async function transferWorld(
  here: StartOptions = {},
  there: StartOptions = {},
): Promise<TransferWorld> {
  const source = await startedBroker(here);
  const target = await startedBroker(there);
  const state = temporaryFolder();
  const argv = (own: readonly string[]) => ["export", ...own, "--to", clusterOf(target), "--state", state];
  return {
    ...{ source, target },
    export: (...own) => command(source.address, argv(own)),
    startExport: (...own) => startCommand(source.address, argv(own)),
  };
}

export function clusterOf(broker: TestBroker): string {
  return `kafka://${broker.bootstrapServers}`;
}

export function kafkaOf(broker: TestBroker): Kafka {
  const { NOTHING: logLevel } = kafkajs.logLevel;
  return new kafkajs.Kafka({ brokers: broker.bootstrapBrokers, logLevel, retry: { initialRetryTime: 20 } });
}

/** Connected, and closed when the test is over. */
export async function producerOf(kafka: Kafka, transactionalId?: string): Promise<Producer> {
  const options = transactionalId === undefined ? {} : { transactionalId, maxInFlightRequests: 1 };
  const producer = kafka.producer({ idempotent: true, ...options });
  onTestFinished(() => producer.disconnect().catch(() => undefined));
  await producer.connect();
  return producer;
}

/** Commits as an administrator does, for a group without members. */
export function commit(broker: TestBroker, groupId: string, topic: string, offset: number): Promise<void> {
  return broker.client.admin().commitOffsets(groupId, [{ topic, partition: 0, offset }]);
}

/** What the group has committed of the topic's first partition, as the clients of Kafka are told it. */
export async function committed(broker: TestBroker, groupId: string, topic: string): Promise<number> {
  const admin = kafkaOf(broker).admin();
  await admin.connect();
  const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return Number(found?.partitions.find(({ partition }) => partition === 0)?.offset);
}

/** All of a record but its offset, which may differ in a copy. Key and value in hex digits. */
export type Content = Pick<SeenRecord, "partition" | "headers" | "timestampMs"> & {
  readonly key: string | null;
  readonly value: string | null;
};

export function contentOf(broker: TestBroker, topic: string): Content[] {
  return broker
    .records(topic, { isolation: "read_committed" })
    .map(({ partition, keyBytes, valueBytes, headers, timestampMs }) => ({
      ...{ partition, headers, timestampMs },
      key: keyBytes?.toString("hex") ?? null,
      value: valueBytes?.toString("hex") ?? null,
    }));
}

export function valuesOf(broker: TestBroker, topic: string): (string | null)[] {
  return broker.records(topic).map(({ value }) => value);
}
