/** Apache Kafka's Java programs for tests that are run with them on purpose (npm run java-clients); others never start a JVM. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mavenClasspath, NoKafka } from "@minikafka/oracle/apache-kafka";

const FOLDER = fileURLToPath(new URL("../kafka-java", import.meta.url));
/** Quick to start rather than quick to run. */
const JVM = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

export interface Java {
  /** Which Kafka's they are. */
  readonly version: string;
  /** Runs a class, or a source file of kafka-java/, to its end. */
  run(main: string, argv: readonly string[], input?: string): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  /** Its lines that are not empty. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

let asked: Promise<Java | null> | null = null;

/** `null`, with the reason printed, where there is no Java or Maven, which is asked once. */
export function javaClients(): Promise<Java | null> {
  asked ??= brought();
  return asked;
}

async function brought(): Promise<Java | null> {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-e2e-"));
  try {
    const classpath = await mavenClasspath(join(FOLDER, "pom.xml"), folder);
    const version = /kafka-clients-([\d.]+)\.jar/.exec(classpath)?.[1] ?? "of unknown version";
    console.log(`Apache Kafka's clients ${version}`);
    return { version, run: (main, argv, input) => run(classpath, main, argv, input) };
  } catch (error) {
    if (!(error instanceof NoKafka)) throw error;
    console.log(`skipped: ${error.message}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(classpath: string, main: string, argv: readonly string[], input = ""): Promise<Ended> {
  const what = main.endsWith(".java") ? join(FOLDER, main) : main;
  const quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";
  const child = spawn("java", [...JVM, quiet, "-cp", classpath, what, ...argv], { stdio: "pipe" });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  // One that takes none may be gone before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, lines: said.out.split("\n").filter((line) => line !== ""), stderr: said.err };
}
