/** `npm run outgrow`: builds, and runs the tests that move to Apache Kafka with Apache Kafka itself. */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ROOT, runTool } from "./pinned-pnpm.mjs";

/** @returns {Promise<number>} the exit code */
async function main() {
  const code = await runTool(["turbo", "run", "build", "--output-logs=errors-only"]);
  if (code !== 0) return code;
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--root", "e2e", "outgrowing", "transfer-apache"], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, MINIKAFKA_APACHE_KAFKA: "1" },
  });
  const [ended] = await once(child, "exit");
  return ended ?? 1;
}

process.exitCode = await main();
