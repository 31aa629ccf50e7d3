/** Options of a daemon that change how it works and nothing that it promises. */
import type { Dice } from "../dice.ts";

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  // What is written outlives the process under each of them; a power cut is none of this test's.
  flush: ["ack", "ack", "interval", "os"],
  "flush-interval-ms": ["10", "100", "5000"],
  "segment-bytes": ["4096", "16384", "65536", "1048576"],
  "open-files-max": ["10", "32", "512"],
  "compaction-interval-ms": ["50", "200", "2000"],
  "compaction-buffer-bytes": ["1024", "65536", "1048576"],
  "retention-interval-ms": ["100", "1000", "300000"],
  "replica-lag-time-ms": ["300", "1000", "10000"],
  "replica-fetch-max-bytes": ["1024", "65536", "1048576"],
  "max-connections": ["200", "2000"],
};

export function drawOptions(below: Dice): string[] {
  return Object.entries(CHOICES).flatMap(([name, values]) => [
    `--${name}`,
    values[below(values.length)] ?? "",
  ]);
}
