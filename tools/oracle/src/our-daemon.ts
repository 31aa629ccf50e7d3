/** Our daemon as its users start it, with a port for Kafka's clients. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startProgram } from "./child.ts";

/** The program itself, not the package manager's shim around it: a signal must reach the daemon. */
const PROGRAM = fileURLToPath(
  new URL("../bin/minikafka-broker.cjs", import.meta.resolve("@minikafka/broker")),
);

export interface OurDaemon {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

export async function startOurs(folder: string): Promise<OurDaemon> {
  const ports = ["--port", "0", "--kafka-port", "0"];
  const argv = [PROGRAM, "--data", folder, ...ports, "--retention-interval-ms", "3600000"];
  const program = await startProgram(process.execPath, argv);
  const { stdout } = program.child;
  if (stdout === null) throw new Error("the daemon has no stdout");
  const line = once(createInterface({ input: stdout }), "line").then(([first]) => String(first));
  const ready = await Promise.race([line, program.ended.then(() => null)]);
  if (ready === null) throw new Error(`the daemon ended before it was ready:\n${program.said()}`);
  const { kafka } = JSON.parse(ready) as { kafka: { host: string; port: number }[] };
  const [address] = kafka;
  if (address === undefined) throw new Error(`the daemon has no port for Kafka's clients: ${ready}`);
  return { host: address.host, port: address.port, stop: () => program.stop() };
}
