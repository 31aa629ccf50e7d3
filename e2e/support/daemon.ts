/** Real daemons for the tests: each on its own folder and a free port, each ended by the test that started it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The program itself, not the package manager's shim around it: a signal must reach the daemon and nothing before it. */
const BROKER = fileURLToPath(new URL("../../apps/broker/bin/minikafka-broker.cjs", import.meta.url));

/** A folder of its own, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** How a process ended, and all that it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where one of the hosted brokers is reached by Kafka's clients. */
export interface KafkaAddress {
  readonly broker_id: number;
  readonly host: string;
  readonly port: number;
}

export interface Daemon {
  readonly port: number;
  /** Empty without --kafka-port. */
  readonly kafka: readonly KafkaAddress[];
  /** Only with --http-port. */
  readonly http?: { readonly host: string; readonly port: number };
  readonly pid: number;
  readonly data: string;
  /** What it has said so far. */
  readonly output: { stdout: string; stderr: string };
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  /** Sends a signal and does not wait. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

interface Launched {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
}

/** What the system gives a process. */
export interface SystemLimits {
  /** Descriptors (ulimit -n). Default: as many as this process has. Not on Windows. */
  readonly descriptors?: number;
}

function launch(
  arguments_: readonly string[],
  environment: NodeJS.ProcessEnv,
  { descriptors }: SystemLimits = {},
): Launched {
  const command = [process.execPath, BROKER, ...arguments_];
  // The shell is gone once it has become the daemon.
  const limited = ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh", ...command];
  const [program = "", ...rest] = descriptors === undefined ? command : limited;
  // A seed that the tests draw from is no setting of the daemon's.
  const { MINIKAFKA_SEED: _drawnFrom, ...own } = process.env;
  const child = spawn(program, rest, {
    env: { ...own, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...output,
  }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output, ended };
}

/** Starts a daemon that is expected to refuse, and waits for its end. */
export async function runBroker(
  arguments_: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  limits: SystemLimits = {},
): Promise<Ended> {
  return launch(arguments_, environment, limits).ended;
}

/** Starts a daemon on `data` and a free port; resolves when it says that it is ready. */
export function startDaemon(
  data: string,
  arguments_: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
  limits: SystemLimits = {},
): Promise<Daemon> {
  return launchDaemon(data, arguments_, environment, limits).ready;
}

/** One that is under way, and may be ended before it gets anywhere. */
export interface StartingDaemon {
  /** Fails when it ends before it is ready. */
  readonly ready: Promise<Daemon>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** The same, for who does not want to wait for it. */
export function launchDaemon(
  data: string,
  arguments_: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
  limits: SystemLimits = {},
): StartingDaemon {
  const command = ["--data", data, "--port", "0", ...arguments_];
  const launched = launch(command, environment, limits);
  const signal = (name: NodeJS.Signals) => {
    launched.child.kill(name);
  };
  return { ready: untilReady(data, launched, signal), signal, ended: launched.ended };
}

async function untilReady(
  data: string,
  { child, output, ended }: Launched,
  signal: Daemon["signal"],
): Promise<Daemon> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const early = ended.then((end) => {
    throw new Error(`the daemon ended with ${end.code ?? end.signal} before it was ready: ${end.stderr}`);
  });
  const [line] = await Promise.race([once(lines, "line"), early]);
  early.catch(() => undefined);
  const ready = JSON.parse(line as string) as { msg: string } & Pick<
    Daemon,
    "port" | "pid" | "kafka" | "http"
  >;
  if (ready.msg !== "ready") throw new Error(`the first line is ${line}`);
  return {
    port: ready.port,
    kafka: ready.kafka ?? [],
    ...(ready.http !== undefined && { http: ready.http }),
    pid: ready.pid,
    data,
    output,
    ended,
    signal,
    end: async (name) => {
      signal(name);
      return ended;
    },
  };
}
