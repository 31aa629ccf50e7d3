/** Apache Kafka's published artifacts, as Maven resolves them for ../pom.xml, or those of an unpacked distribution. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "./child.ts";

const POM = fileURLToPath(new URL("../pom.xml", import.meta.url));

const JAVA_ADVICE = "Apache Kafka 4 needs a JDK or JRE of version 17 or newer on the PATH.";

/** Apache Kafka cannot be had here; the message says what is missing and what to do. */
export class NoKafka extends Error {
  override readonly name = "NoKafka";
}

export interface Artifacts {
  readonly version: string;
  /** What java takes behind -cp. */
  readonly classpath: string;
}

async function found(command: string, argv: readonly string[], advice: string): Promise<void> {
  try {
    await runProgram(command, argv);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is none" : String(error);
    throw new NoKafka(`${command}: ${why}. ${advice}`);
  }
}

function versionIn(classpath: string): string {
  return /kafka_2\.13-([\d.]+)\.jar/.exec(classpath)?.[1] ?? "of unknown version";
}

function distribution(folder: string): Artifacts {
  if (!existsSync(join(folder, "libs"))) {
    throw new NoKafka(
      `${folder} has no folder libs; name the folder into which Apache Kafka was unpacked, such as kafka_2.13-4.3.1`,
    );
  }
  return { version: versionIn(`${folder}.jar`), classpath: join(folder, "libs", "*") };
}

/** What java takes behind -cp for `pom`, of which Maven writes a list into `folder`. Throws {@link NoKafka}, as kafkaArtifacts. */
export async function mavenClasspath(pom: string, folder: string): Promise<string> {
  await found("java", ["-version"], JAVA_ADVICE);
  await found(
    "mvn",
    ["-v"],
    "Maven brings Apache Kafka's artifacts; or name an unpacked distribution with --kafka FOLDER.",
  );
  const file = join(folder, "classpath");
  try {
    const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${file}`];
    await runProgram("mvn", ["-q", "-B", "-f", pom, ...goal]);
  } catch (error) {
    throw new NoKafka(`Maven could not bring Apache Kafka's artifacts. ${(error as Error).message}`);
  }
  return readFileSync(file, "utf8").trim();
}

/**
 * Where the classes are. `unpacked`: a distribution; null: Maven brings the artifacts, from its local repository where they are, and
 * writes into `folder` which they are. Throws {@link NoKafka} where a tool is missing, or the artifacts cannot be had.
 */
export async function kafkaArtifacts(folder: string, unpacked: string | null = null): Promise<Artifacts> {
  if (unpacked !== null) {
    await found("java", ["-version"], JAVA_ADVICE);
    return distribution(unpacked);
  }
  const classpath = await mavenClasspath(POM, folder);
  return { version: versionIn(classpath), classpath };
}
