/**
 * The command line as a user runs it. `startCommand` is a process with streams of its own, for what only a process shows:
 * pipes, signals, what it takes of memory. `command` runs the same code in this process, which is many times quicker.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { run } from "@minikafka/cli";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../apps/cli/bin/minikafka-cli.cjs", import.meta.url));

/** A broker to talk to; `null` leaves the command without one. */
export type Broker = { readonly port: number } | null;

export interface CommandEnded {
  /** The exit code; `null` when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<CommandEnded>;
  /** The next line of stdout that this was not asked for before, without its newline. */
  nextLine(): Promise<string>;
}

function environmentFor(broker: Broker): NodeJS.ProcessEnv {
  const { MINIKAFKA_BROKER: _unwanted, MINIKAFKA_CONTEXT: _neither, ...own } = process.env;
  // Nor do contexts of who runs the tests count.
  const environment = { ...own, XDG_CONFIG_HOME: "/nowhere" };
  return broker === null ? environment : { ...environment, MINIKAFKA_BROKER: `127.0.0.1:${broker.port}` };
}

/** Starts a command as a process, the first of a group of its own; its stdin stays open, and its stdout is read. */
export function startCommand(
  broker: Broker,
  arguments_: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): RunningCommand {
  const child = spawn(process.execPath, [CLI, ...arguments_], {
    env: { ...environmentFor(broker), ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  // A command that ends early leaves its input unread.
  child.stdin.on("error", () => undefined);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...said }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let linesEnd = 0;
  const nextLine = async (): Promise<string> => {
    for (;;) {
      const newline = said.stdout.indexOf("\n", linesEnd);
      if (newline === -1) {
        await once(child.stdout, "data");
        continue;
      }
      const line = said.stdout.slice(linesEnd, newline);
      linesEnd = newline + 1;
      return line;
    }
  };
  return { process: child, ended, nextLine };
}

/** Runs a command to its end as a process, with `stdin` as its whole input. */
export async function processOf(
  broker: Broker,
  arguments_: readonly string[],
  stdin: string | Uint8Array = "",
): Promise<CommandEnded> {
  const running = startCommand(broker, arguments_);
  running.process.stdin.end(stdin);
  return running.ended;
}

/** Runs a command to its end in this process, with `stdin` as its whole input. */
export async function command(
  broker: Broker,
  arguments_: readonly string[],
  stdin: string | Uint8Array = "",
): Promise<CommandEnded> {
  const said: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  const into = (chunks: Buffer[]) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
  const code = await run(arguments_, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: into(said.stdout),
    stderr: into(said.stderr),
    env: environmentFor(broker),
    interrupted: new AbortController().signal,
  });
  return {
    code,
    stdout: Buffer.concat(said.stdout).toString(),
    stderr: Buffer.concat(said.stderr).toString(),
  };
}

/** Runs a command that is to succeed and returns what it printed. */
export async function output(
  broker: Broker,
  arguments_: readonly string[],
  stdin: string | Uint8Array = "",
): Promise<string> {
  const ended = await command(broker, arguments_, stdin);
  if (ended.code !== 0) throw new Error(`${arguments_.join(" ")}: ${ended.code}: ${ended.stderr}`);
  return ended.stdout;
}

/** The documents of a text that has one a line. */
export function jsonLines(text: string): { readonly [name: string]: unknown }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
