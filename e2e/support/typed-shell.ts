/**
 * A bash into which a test types lines as they stand on a page, with all that a shell does of them: pipes, loops, variables.
 *
 * The words `minikafka-cli` and `npx minikafka-cli` are functions in it that run the command in this process, which is many times
 * quicker than a process for each; so are `curl` and `jq`, which need not be installed. A command has its whole stdin before it begins,
 * and what it prints comes when it has ended, so that nothing here is for what only a stream shows; `heard` is told sooner.
 * `realCommands` are processes, and slower. HOME is the folder. Owns the bash, and one socket for its functions to call at; both are
 * gone when the test ends.
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
import { run, type World } from "@minikafka/cli";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./daemon.ts";
import { curl } from "./shell-curl.ts";
import { jq } from "./shell-jq.ts";

const CLI = fileURLToPath(new URL("../../apps/cli/bin/minikafka-cli.cjs", import.meta.url));

const PROGRAMS: {
  readonly [name: string]: (words: readonly string[], world: World) => Promise<number>;
} = { "minikafka-cli": run, curl, jq };

/** A command that was run, and how it ended. */
export interface CommandRun {
  /** Of minikafka-cli without its name. */
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
__called() {
  local call code
  call=$(mktemp -d "$CALLS/XXXXXX")
  printf '%s\\0' "$PWD" "\${MINIKAFKA_BROKER-}" "$HOME" "$@" > "$call/words"
  cat > "$call/stdin"
  exec 9<>"/dev/tcp/127.0.0.1/$CALLS_PORT"
  printf '%s\\n' "$call" >&9
  read -r code <&9
  exec 9>&-
  cat "$call/stderr" >&2
  cat "$call/stdout"
  return "$code"
}
${Object.keys(PROGRAMS)
  .map((name) => `${name}() { __called ${name} "$@"; }`)
  .join("\n")}
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
    mkdirSync(calls);
    const made: Calls = { ran: [], running: new Set(), answers: new Set(), heard: undefined };
    const server = createServer((socket) => {
      const answered = answer(socket, made).finally(() => made.answers.delete(answered));
      made.answers.add(answered);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { MINIKAFKA_BROKER: _unwanted, MINIKAFKA_CONTEXT: _neither, ...environment } = process.env;
    const bash = spawn("bash", ["--norc", "--noprofile"], {
      cwd: folder,
      env: {
        ...environment,
        HOME: folder,
        XDG_CONFIG_HOME: settingsIn(folder),
        CALLS: calls,
        CALLS_PORT: String(port),
      },
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, with all that its lines start.
      detached: true,
    });
    const ended = once(bash, "close");
    onTestFinished(async () => {
      for (const running of made.running) running.abort();
      process.kill(-(bash.pid ?? 0), "SIGKILL");
      server.close();
      await Promise.all([ended, ...made.answers]);
    });
    bash.stdin.write(realCommands ? REAL_PRELUDE : PRELUDE);
    return new TypedShell(folder, bash, made);
  }

  /** Ctrl-C for the commands that run now. */
  interrupt(): void {
    for (const running of this.#calls.running) running.abort();
  }

  /**
   * Types `block`, and waits for its end. With `strict` it ends at the first line that fails. `heard` is called with all that a command
   * has said so far, on either stream, whenever that is more.
   */
  async type(block: string, { strict = false, heard }: TypingOptions = {}): Promise<Typed> {
    this.#calls.heard = heard;
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

export interface TypingOptions {
  readonly strict?: boolean;
  readonly heard?: (said: string) => void;
}

interface Calls {
  heard: TypingOptions["heard"];
  readonly ran: CommandRun[];
  readonly running: Set<AbortController>;
  readonly answers: Set<Promise<void>>;
}

/** One call of a function: its folder comes in, the command's exit code goes out. */
async function answer(socket: Socket, calls: Calls): Promise<void> {
  socket.on("error", () => undefined);
  const lines = createInterface({ input: socket });
  const [call] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
  // The bash was ended before it could say.
  if (call === undefined) return;
  const words = readFileSync(join(call, "words"), "utf8").split("\0").slice(0, -1);
  const [folder = "", broker = "", home = "", program = "", ...typed] = words;
  const { MINIKAFKA_CONTEXT: _unwanted, ...environment } = process.env;
  const said = { stdout: "", stderr: "" };
  const collecting = (stream: "stdout" | "stderr") =>
    new Sink({
      decodeStrings: true,
      write(chunk: Buffer, _encoding, done) {
        said[stream] += chunk.toString("latin1");
        calls.heard?.(Buffer.from(said.stdout + said.stderr, "latin1").toString());
        done();
      },
    });
  const interrupted = new AbortController();
  calls.running.add(interrupted);
  const code = await carriedOut(
    program,
    typed.map((word) => placed(word, folder)),
    {
      stdin: createReadStream(join(call, "stdin")),
      stdout: collecting("stdout"),
      stderr: collecting("stderr"),
      env: { ...environment, HOME: home, XDG_CONFIG_HOME: settingsIn(home), MINIKAFKA_BROKER: broker },
      interrupted: interrupted.signal,
    },
  );
  calls.running.delete(interrupted);
  calls.ran.push({ words: program === "minikafka-cli" ? typed : [program, ...typed], code });
  for (const stream of ["stdout", "stderr"] as const)
    writeFileSync(join(call, stream), said[stream], "latin1");
  socket.end(`${code}\n`);
}

/** What a program throws is told, and fails the line: who waits for its exit code would wait for good. */
async function carriedOut(program: string, words: readonly string[], world: World): Promise<number> {
  try {
    return (await PROGRAMS[program]?.(words, world)) ?? 127;
  } catch (error) {
    world.stderr.write(`${program}: ${String(error)}\n`);
    return 1;
  }
}

/** Whoever runs the tests may have settings elsewhere. */
function settingsIn(home: string): string {
  return join(home, ".config");
}

/** This process has a working folder of its own. */
function placed(word: string, folder: string): string {
  return /^\.\/|\.(?:ndjson|properties)$/.test(word) ? join(folder, word) : word;
}
