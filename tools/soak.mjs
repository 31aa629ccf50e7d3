/** `npm run soak [-- OPTIONS]`: builds, and runs e2e/soak.e2e.test.ts for long. */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT, runTool } from "./pinned-pnpm.mjs";
import { SOAK_HELP, soakOptions } from "./soak-options.mjs";

/** @returns {Promise<number>} the exit code */
async function main() {
  const asked = soakOptions(process.argv.slice(2), process.env, Date.now());
  if (asked === "help") {
    console.log(SOAK_HELP);
    return 0;
  }
  if (typeof asked === "string") {
    console.error(`${asked}\n\n${SOAK_HELP}`);
    return 2;
  }
  const code = await runTool(["turbo", "run", "build", "--output-logs=errors-only"]);
  if (code !== 0) return code;
  const { kills, minutes, seed } = asked;
  const env = {
    ...process.env,
    MINIKAFKA_KILLS: kills,
    MINIKAFKA_SEED: seed,
    ...(minutes === undefined ? {} : { MINIKAFKA_MINUTES: minutes }),
  };
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--root", "e2e", "soak"], {
    cwd: ROOT,
    stdio: "inherit",
    env,
  });
  const [ended] = await once(child, "exit");
  return ended ?? 1;
}

process.exitCode = await main();
