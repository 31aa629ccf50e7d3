/**
 * A bash into which a test types lines as they stand on a page, with all that a shell does of them: pipes, loops, variables.
 *
 * The words `minikafka-cli` and `npx minikafka-cli` are functions in it that run the command in this process, which is many times
 * quicker than a process for each. A command has its whole stdin before it begins, and what it prints comes when it has ended, so
 * that nothing here is for what only a stream shows; `realCommands` are processes, and slower. Owns the bash, and one socket for its functions to call at; both are gone when
 * the test ends.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { Writable as Sink } from "node:stream";
import { fileURLToPath } from "node:url";
import { run } from "@minikafka/cli";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./daemon.ts";

const CLI = fileURLToPath(new URL("../../apps/cli/bin/minikafka-cli.js", import.meta.url));

/** A command of minikafka-cli that was run, and how it ended. */
export interface CommandRun {
  readonly words: readonly string[];
  readonly code: number;
}

export interface Typed {
  /** Of the last line. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly commands: readonly CommandRun[];
}

const PRELUDE = `
minikafka-cli() {
  local call code
  call=$(mktemp -d "$CALLS/XXXXXX")
  printf '%s\\0' "$PWD" "\${MINIKAFKA_BROKER-}" "$XDG_CONFIG_HOME" "$@" > "$call/words"
  cat > "$call/stdin"
  exec 9<>"/dev/tcp/127.0.0.1/$CALLS_PORT"
  printf '%s\\n' "$call" >&9
  read -r code <&9
  exec 9>&-
  cat "$call/stderr" >&2
  cat "$call/stdout"
  return "$code"
}
npx() { "$@"; }
`;

/** For what reads while it waits, or is to be killed. */
const REAL_PRELUDE = `
minikafka-cli() { '${process.execPath}' '${CLI}' "$@"; }
npx() { "$@"; }
`;

export class TypedShell {
  /** Where its lines are typed. */
  readonly folder: string;
  readonly #bash: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: Interface;
  readonly #calls: Calls;
  #blocks = 0;

  private constructor(folder: string, bash: ChildProcessByStdio<Writable, Readable, Readable>, calls: Calls) {
    this.folder = folder;
    this.#bash = bash;
    this.#lines = createInterface({ input: bash.stdout });
    this.#calls = calls;
  }

  static async open({ realCommands = false } = {}): Promise<TypedShell> {
    const folder = temporaryFolder();
    const calls = join(folder, ".calls");
    const settings = join(folder, ".config");
    mkdirSync(calls);
    const made: Calls = { ran: [], running: new Set() };
    const server = createServer((socket) => void answer(socket, made)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { MINIKAFKA_BROKER: _unwanted, MINIKAFKA_CONTEXT: _neither, ...environment } = process.env;
    const bash = spawn("bash", ["--norc", "--noprofile"], {
      cwd: folder,
      env: { ...environment, XDG_CONFIG_HOME: settings, CALLS: calls, CALLS_PORT: String(port) },
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, with all that its lines start.
      detached: true,
    });
    const ended = once(bash, "close");
    onTestFinished(async () => {
      for (const running of made.running) running.abort();
      process.kill(-(bash.pid ?? 0), "SIGKILL");
      server.close();
      await ended;
    });
    bash.stdin.write(realCommands ? REAL_PRELUDE : PRELUDE);
    return new TypedShell(folder, bash, made);
  }

  /** Ctrl-C for the commands that run now. */
  interrupt(): void {
    for (const running of this.#calls.running) running.abort();
  }

  /** Types `block`, and waits for its end. With `strict` it ends at the first line that fails. */
  async type(block: string, { strict = false } = {}): Promise<Typed> {
    const before = this.#calls.ran.length;
    const files = join(this.folder, ".calls", `block-${++this.#blocks}`);
    writeFileSync(files, block.endsWith("\n") ? block : `${block}\n`);
    const source = strict ? `(set -e; . '${files}')` : `. '${files}'`;
    this.#bash.stdin.write(`${source} > '${files}.out' 2> '${files}.err' < /dev/null; echo "$?"\n`);
    const [status] = (await once(this.#lines, "line")) as [string];
    return {
      status: Number(status),
      stdout: readFileSync(`${files}.out`, "utf8"),
      stderr: readFileSync(`${files}.err`, "utf8"),
      commands: this.#calls.ran.slice(before),
    };
  }
}

interface Calls {
  readonly ran: CommandRun[];
  readonly running: Set<AbortController>;
}

/** One call of the function: its folder comes in, the command's exit code goes out. */
async function answer(socket: Socket, { ran, running }: Calls): Promise<void> {
  socket.on("error", () => undefined);
  const [call] = (await once(createInterface({ input: socket }), "line")) as [string];
  const words = readFileSync(join(call, "words"), "utf8").split("\0").slice(0, -1);
  const [folder = "", broker = "", settings = "", ...typed] = words;
  const said: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  const interrupted = new AbortController();
  running.add(interrupted);
  const code = await run(
    typed.map((word) => placed(word, folder)),
    {
      stdin: createReadStream(join(call, "stdin")),
      stdout: collecting(said.stdout),
      stderr: collecting(said.stderr),
      env: { ...process.env, MINIKAFKA_BROKER: broker, XDG_CONFIG_HOME: settings },
      interrupted: interrupted.signal,
    },
  );
  running.delete(interrupted);
  ran.push({ words: typed, code });
  for (const stream of ["stdout", "stderr"] as const)
    writeFileSync(join(call, stream), Buffer.concat(said[stream]));
  socket.end(`${code}\n`);
}

/** This process has a working folder of its own. */
function placed(word: string, folder: string): string {
  return /^\.\/|\.ndjson$/.test(word) ? join(folder, word) : word;
}

function collecting(chunks: Buffer[]): Sink {
  return new Sink({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
}
