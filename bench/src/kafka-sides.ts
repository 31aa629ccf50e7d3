/** The brokers that a client of Kafka's is let loose on: ours, as it is and without waiting for the disk, and Apache Kafka where it can be had. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { kafkaArtifacts, NoKafka, startKafka } from "@minikafka/oracle/apache-kafka";
import { startDaemon } from "./daemon.ts";

/** A broker that runs. */
export interface RunningSide {
  readonly port: number;
  readonly pid: number;
  /** From the start of its process until it took connections. */
  readonly listensMs: number;
  stop(): Promise<void>;
}

export interface Side {
  readonly name: string;
  /** On a folder of its own, which is made. */
  start(): Promise<RunningSide>;
}

function ours(name: string, folder: string, ...flags: string[]): Side {
  return {
    name,
    async start() {
      const daemon = await startDaemon(mkdtempSync(join(folder, "ours-")), ["--kafka-port", "0", ...flags]);
      const { kafkaPort, pid, readyMs } = daemon;
      if (kafkaPort === null) throw new Error("the daemon has no port for Kafka's clients");
      return { port: kafkaPort, pid, listensMs: readyMs, stop: () => daemon.stop() };
    },
  };
}

/** Kafka's side, and its version; or why it is not there. */
async function theirs(folder: string): Promise<Side | string> {
  try {
    const artifacts = await kafkaArtifacts(folder);
    return {
      name: `Apache Kafka ${artifacts.version}`,
      async start() {
        const node = await startKafka(artifacts, join(mkdtempSync(join(folder, "kafka-")), "node"));
        const { port, pid, listensMs } = node;
        return { port, pid, listensMs, stop: () => node.stop() };
      },
    };
  } catch (error) {
    if (error instanceof NoKafka) return error.message;
    throw error;
  }
}

export interface Sides {
  readonly all: readonly Side[];
  /** Why Apache Kafka is not among them; null where it is. */
  readonly missing: string | null;
}

export async function sidesIn(folder: string): Promise<Sides> {
  const own = [ours("this", folder), ours("this, --flush os", folder, "--flush", "os")];
  const kafka = await theirs(folder);
  if (typeof kafka === "string") return { all: own, missing: kafka };
  return { all: [...own, kafka], missing: null };
}
