/** How long the command line takes from its start to its end, beside a node that does nothing: as a shell's user waits for it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { aligned } from "./aligned.ts";
import { startDaemon } from "./daemon.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

/** The program itself, not the package manager's shim around it. */
const PROGRAM = fileURLToPath(new URL("../bin/minikafka-cli.cjs", import.meta.resolve("@minikafka/cli")));

export const COMMAND_LINE = { rounds: 31 } as const;
export const COMMAND_LINE_QUICK = { rounds: 7 } as const;

/** A bench ends by itself, also where a command does not. */
const COMMAND_TIMEOUT_MS = 30_000;

interface Started {
  readonly what: string;
  readonly ms: readonly number[];
}

export interface CommandLineBench {
  readonly rounds: number;
  /** The first is the node that does nothing. */
  readonly started: readonly Started[];
}

const NOTHING: readonly string[] = ["-e", "0"];
const TOPIC = "greetings";
const COMMANDS: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["topics", "list"],
  ["produce", TOPIC],
  ["fetch", TOPIC, "-n", "1"],
];

/** Turn by turn, so that what else the machine does meanwhile meets all of them alike. */
export async function measureCommandLine(
  { rounds }: { readonly rounds: number },
  folder: string,
): Promise<CommandLineBench> {
  const daemon = await startDaemon(mkdtempSync(join(folder, "cli-")));
  const broker = `127.0.0.1:${daemon.port}`;
  timeOf([PROGRAM, "topics", "create", TOPIC], broker);
  const lines = [NOTHING, ...COMMANDS.map((words) => [PROGRAM, ...words])];
  const started = lines.map((_, index) => ({
    what: index === 0 ? "node -e 0" : `minikafka-cli ${COMMANDS[index - 1]?.join(" ")}`,
    ms: [] as number[],
  }));
  for (let round = 1; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    lines.forEach((line, index) => {
      started[index]?.ms.push(timeOf(line, broker));
    });
  }
  await daemon.stop();
  showProgress("");
  return { rounds, started };
}

function timeOf(line: readonly string[], broker: string): number {
  const startMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, line, {
    env: { ...process.env, MINIKAFKA_BROKER: broker },
    encoding: "utf8",
    timeout: COMMAND_TIMEOUT_MS,
    // For those that read it.
    input: "hello\n",
  });
  const tookMs = performance.now() - startMs;
  if (status !== 0) throw new Error(`${line.join(" ")} ended with ${status}: ${stderr}`);
  return tookMs;
}

export function commandLineTable({ rounds, started }: CommandLineBench): string {
  const nothingMs = median(started[0]?.ms ?? []);
  const rows = started.map(({ what, ms }) => [
    what,
    median(ms).toFixed(0),
    Math.min(...ms).toFixed(0),
    Math.max(...ms).toFixed(0),
    (median(ms) / nothingMs).toFixed(2),
  ]);
  return [
    `from the start of the process to its end, in ms; ${rounds} rounds (aim: under 150 on an idle machine)`,
    "",
    ...aligned([["command", "median", "least", "most", "of node -e 0"], ...rows]),
  ].join("\n");
}
