/** Programs that we start and end: by their process alone, and none outlives us, however we end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** What a program said last, on stderr, where it is of use to a reader. */
const SAID_MAX = 20_000;

const running = new Set<ChildProcess>();

process.once("exit", killPrograms);

/** Ends all of them at once. A signal that ends this process emits no `exit`: who catches one calls this. */
export function killPrograms(): void {
  for (const child of running) child.kill("SIGKILL");
}

export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  /** The last of what came on stderr. */
  said(): string;
  /** SIGTERM, and SIGKILL for one that has not gone after `patienceMs`. */
  stop(patienceMs?: number): Promise<void>;
}

/** Starts a program without a shell. Rejects when there is no such program. */
export async function startProgram(command: string, argv: readonly string[]): Promise<Program> {
  const child = spawn(command, argv, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close").then(
    () => undefined,
    () => undefined,
  );
  await once(child, "spawn");
  running.add(child);
  child.once("close", () => running.delete(child));
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-SAID_MAX);
  });
  return {
    pid: child.pid ?? 0,
    child,
    ended,
    said: () => said,
    async stop(patienceMs = 15_000) {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Runs a program to its end, and returns what it said on stdout; throws with the last of what it said when it fails. */
export async function runProgram(command: string, argv: readonly string[]): Promise<string> {
  const program = await startProgram(command, argv);
  let printed = "";
  program.child.stdout?.on("data", (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-SAID_MAX);
  });
  await program.ended;
  if (program.child.exitCode === 0) return printed;
  throw new Error(`${command} failed (exit code ${program.child.exitCode}):\n${printed}${program.said()}`);
}
