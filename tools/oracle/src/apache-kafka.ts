/**
 * One node of Apache Kafka, broker and controller in one (KRaft), on a folder and on loopback ports of its own. Its settings are
 * its defaults but for what a single node needs, and what would make a caller wait for nothing.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Artifacts } from "./artifacts.ts";
import { type Program, runProgram, startProgram } from "./child.ts";

export { type Artifacts, kafkaArtifacts, mavenClasspath, NoKafka } from "./artifacts.ts";
export { killPrograms } from "./child.ts";

const HOST = "127.0.0.1";
const HEAP = "-Xmx512m";
const READY_MS_MAX = 120_000;
const ASK_AGAIN_MS = 10;

export interface KafkaNode {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /** The node's own number. */
  readonly brokerId: number;
  /** From the start of the process until it took a connection. */
  readonly listensMs: number;
  stop(): Promise<void>;
}

/** Ports that nobody had a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, HOST);
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

function settingsOf(data: string, port: number, controllerPort: number): Readonly<Record<string, string>> {
  return {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.voters": `1@${HOST}:${controllerPort}`,
    listeners: `PLAINTEXT://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://${HOST}:${port}`,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "log.dirs": data,
    // A single node holds one copy of everything, and its internal topics are as small as ours.
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "group.initial.rebalance.delay.ms": "0",
    // Records with times of long ago are to stay for as long as we run.
    "log.initial.task.delay.ms": "3600000",
  };
}

async function listens(port: number, program: Program): Promise<void> {
  const givenUpMs = performance.now() + READY_MS_MAX;
  let isGone = false;
  void program.ended.then(() => {
    isGone = true;
  });
  for (;;) {
    const socket = connect(port, HOST);
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (isGone) throw new Error(`Apache Kafka ended before it listened:\n${program.said()}`);
    if (performance.now() > givenUpMs) throw new Error(`Apache Kafka does not listen:\n${program.said()}`);
    await pause(ASK_AGAIN_MS);
  }
}

/** Formats `folder`, which is made, and starts a node on it. It listens when this resolves, and may not be in the cluster yet. */
export async function startKafka({ classpath }: Artifacts, folder: string): Promise<KafkaNode> {
  mkdirSync(folder, { recursive: true });
  const [port = 0, controllerPort = 0] = await freePorts(2);
  const file = join(folder, "server.properties");
  const settings = settingsOf(join(folder, "data"), port, controllerPort);
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  const java = (heap: string, main: string, ...argv: string[]) => [
    ...[heap, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classpath, main],
    ...argv,
  ];
  const id = randomBytes(16);
  // So that it does not begin with a dash, and is taken for a flag.
  id[0] = 0x50;
  const clusterId = id.toString("base64url");
  await runProgram(
    "java",
    java("-Xmx256m", "kafka.tools.StorageTool", "format", "-t", clusterId, "-c", file),
  );
  const startMs = performance.now();
  const program = await startProgram("java", java(HEAP, "kafka.Kafka", file));
  // Nobody reads it, and a full pipe would hold the node up.
  program.child.stdout?.resume();
  try {
    await listens(port, program);
  } catch (error) {
    await program.stop(0);
    throw error;
  }
  const listensMs = performance.now() - startMs;
  return { host: HOST, port, pid: program.pid, brokerId: 1, listensMs, stop: () => program.stop() };
}
