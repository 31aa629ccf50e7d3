/** `npm run oracle`: Apache Kafka and this broker are asked the same. See ../README.md. Ends all that it starts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kafkaArtifacts, NoKafka, startKafka } from "./apache-kafka.ts";
import { HELP, type Settings, settingsOf } from "./command-line.ts";
import { judge } from "./compare.ts";
import { EXPECTED } from "./expected/index.ts";
import { startOurs } from "./our-daemon.ts";
import { report } from "./report.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { runSession } from "./session.ts";

async function run({ only, kafka: unpacked, all, json }: Settings, folder: string): Promise<number> {
  const scenarios = SCENARIOS.filter(({ name }) => only === null || name.includes(only));
  if (scenarios.length === 0) {
    console.error(
      `no scenario has ${only} in its name; there are: ${SCENARIOS.map(({ name }) => name).join(", ")}`,
    );
    return 2;
  }
  const artifacts = await kafkaArtifacts(folder, unpacked);
  const [ours, kafka] = await Promise.all([
    startOurs(join(folder, "ours")),
    startKafka(artifacts, join(folder, "kafka")),
  ]);
  const startMs = performance.now();
  try {
    const result = await runSession(ours, kafka, scenarios, (line) => console.error(line));
    const { version } = artifacts;
    const judged = judge(result.differences, EXPECTED);
    // Of a part of the script nobody can say what is not seen any more.
    const judgement = only === null ? judged : { ...judged, idle: [] };
    const ran = { version, steps: result.steps, seconds: (performance.now() - startMs) / 1_000 };
    console.log(json ? JSON.stringify({ ...ran, ...judgement }) : report(ran, judgement, all));
    return judgement.unexpected.length > 0 || judgement.idle.length > 0 ? 1 : 0;
  } finally {
    await Promise.all([ours.stop(), kafka.stop()]);
  }
}

async function main(): Promise<number> {
  const asked = settingsOf(process.argv.slice(2));
  if (typeof asked === "string") {
    if (asked === "help") console.log(HELP);
    else console.error(`${asked}\n\n${HELP}`);
    return asked === "help" ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "minikafka-oracle-"));
  // A node that was killed this moment may still have a file to write.
  process.once("exit", () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
  try {
    return await run(asked, folder);
  } catch (error) {
    if (!(error instanceof NoKafka)) throw error;
    console.error(`error: ${error.message}`);
    return 3;
  }
}

process.exitCode = await main();
