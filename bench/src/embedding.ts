/** How long a test waits for a broker in its own process: from startBroker to the first record that kafkajs has acknowledged. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { aligned } from "./aligned.ts";
import { endWithUs } from "./daemon.ts";
import { showProgress } from "./progress.ts";
import { median } from "./statistics.ts";

export const EMBEDDING = { processes: 7, starts: 21 } as const;
export const EMBEDDING_QUICK = { processes: 3, starts: 6 } as const;

interface Plan {
  readonly processes: number;
  /** In each of them. */
  readonly starts: number;
}

export interface EmbeddingBench extends Plan {
  /** The first of each process, whose modules are loaded and nothing of which has run. */
  readonly firstMs: readonly number[];
  readonly furtherMs: readonly number[];
}

export async function measureEmbedding({ processes, starts }: Plan): Promise<EmbeddingBench> {
  const firstMs: number[] = [];
  const furtherMs: number[] = [];
  for (let number = 1; number <= processes; number += 1) {
    showProgress(`process ${number} of ${processes}`);
    const [first = Number.NaN, ...further] = await startsOfOneProcess(starts);
    firstMs.push(first);
    furtherMs.push(...further);
  }
  showProgress("");
  return { processes, starts, firstMs, furtherMs };
}

async function startsOfOneProcess(starts: number): Promise<readonly number[]> {
  const child = fork(fileURLToPath(new URL("./embedding-program.js", import.meta.url)), [String(starts)]);
  endWithUs(child);
  const ended = once(child, "exit");
  const broken = ended.then(() => {
    throw new Error("the process that starts brokers ended by itself");
  });
  const [tookMs] = await Promise.race([once(child, "message"), broken]);
  broken.catch(() => undefined);
  await ended;
  return tookMs as readonly number[];
}

export function embeddingTable({ processes, starts, firstMs, furtherMs }: EmbeddingBench): string {
  const row = (what: string, ms: readonly number[]) => [
    what,
    median(ms).toFixed(0),
    Math.max(...ms).toFixed(0),
  ];
  return [
    `from startBroker to the first record that kafkajs has acknowledged, in ms; ${processes} processes, ${starts} starts in each (aim: under 150)`,
    "",
    ...aligned([
      ["a broker in memory, with a topic", "median", "most"],
      row("the first of its process", firstMs),
      row("each further one", furtherMs),
    ]),
  ].join("\n");
}
