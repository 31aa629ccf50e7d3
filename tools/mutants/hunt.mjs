/** One process of the simulator, from seed to seed until it finds something. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What the simulator says of a run that broke a rule. */
const VIOLATION = /^seed (\d+), at \d+ ms: (.*)$/;

/**
 * The first violation within `seeds` seeds from `first` on; `null` when there is none. Throws when the program itself fails.
 * @param {string} file
 * @param {number} first
 * @param {number} seeds
 */
export async function hunt(file, first, seeds) {
  const beganMs = performance.now();
  const child = spawn(process.execPath, [file, "--seed", `${first}`, "--seeds", `${seeds}`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const found = VIOLATION.exec(line);
    if (found === null) continue;
    child.kill();
    await ended;
    const [, seed, what = ""] = found;
    return { seed: Number(seed), what, seconds: (performance.now() - beganMs) / 1000 };
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the simulator ended with ${code}: ${complaint.slice(0, 2000)}`);
  return null;
}
