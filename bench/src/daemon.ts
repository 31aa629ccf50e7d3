/** A daemon as its users start it: a process of its own, on a folder and a free port of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The program itself, not the package manager's shim around it: a signal must reach the daemon. */
const PROGRAM = fileURLToPath(
  new URL("../bin/minikafka-broker.cjs", import.meta.resolve("@minikafka/broker")),
);

/** Every process that we have started and that runs, so that none outlives us, however we end. */
const running = new Set<ChildProcess>();

export function endWithUs(child: ChildProcess): void {
  running.add(child);
  child.once("close", () => running.delete(child));
}

/** Ends all of them at once. */
export function killDaemons(): void {
  for (const child of running) child.kill("SIGKILL");
}

export interface Daemon {
  readonly port: number;
  readonly pid: number;
  /** Where Kafka's clients connect; `null` where it was not asked for. */
  readonly kafkaPort: number | null;
  /** From the start of the process to its line on stdout that says that it is ready. */
  readonly readyMs: number;
  /** What it holds of the machine's memory; `null` where the system does not say. */
  residentBytes(): number | null;
  /** What processors have worked for it, all its threads; `null` where the system does not say. */
  cpuMs(): number | null;
  /** As a user ends it; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Starts a daemon on `folder`, with `flags` besides. Fails with what it said on stderr when it ends before it is ready. */
export async function startDaemon(folder: string, flags: readonly string[] = []): Promise<Daemon> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, "--data", folder, "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithUs(child);
  const ended = once(child, "close").then(() => {});
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-10_000);
  });
  const line = once(createInterface({ input: child.stdout }), "line").then(([first]) => String(first));
  const ready = await Promise.race([line, ended.then(() => null)]);
  const readyMs = performance.now() - startMs;
  if (ready === null) throw new Error(`the daemon ended before it was ready:\n${said}`);
  const { port, kafka } = JSON.parse(ready) as { port: number; kafka?: readonly { port: number }[] };
  return {
    port,
    pid: child.pid ?? 0,
    kafkaPort: kafka?.[0]?.port ?? null,
    readyMs,
    residentBytes: () => orNull(() => residentBytes(child.pid)),
    cpuMs: () => orNull(() => cpuMs(child.pid)),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Linux says these things in files; elsewhere they are not measured. */
function orNull(read: () => number): number | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** What processors have worked for a process since its start, ended threads included; `null` where the system does not say. */
export function processCpuMs(pid: number): number | null {
  return orNull(() => {
    const said = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the name, which may hold anything: utime and stime are the 12th and 13th, in hundredths of a second.
    const fields = said.slice(said.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
}

/** What a process holds of the machine's memory; `null` where the system does not say. */
export function processResidentBytes(pid: number): number | null {
  return orNull(() => residentBytes(pid));
}

function residentBytes(pid: number | undefined): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) * 1024;
}

function cpuMs(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1_000_000;
}
