/** Apache Kafka for tests that are run with it on purpose (npm run outgrow); others never start it. */
import { type Artifacts, kafkaArtifacts, NoKafka, startKafka } from "@minikafka/oracle/apache-kafka";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./daemon.ts";

export const WITH_APACHE_KAFKA = process.env.MINIKAFKA_APACHE_KAFKA === "1";

/** The artifacts, or why they cannot be had. */
async function artifacts(folder: string): Promise<Artifacts | string> {
  try {
    return await kafkaArtifacts(folder);
  } catch (error) {
    if (error instanceof NoKafka) return error.message;
    throw error;
  }
}

/** `host:port` of one node that runs until the test is over; `null`, with the reason printed, where it cannot be had. */
export async function apacheKafka(): Promise<string | null> {
  const folder = temporaryFolder();
  const found = await artifacts(folder);
  if (typeof found === "string") {
    console.log(`skipped: ${found}`);
    return null;
  }
  console.log(`Apache Kafka ${found.version}`);
  const node = await startKafka(found, `${folder}/node`);
  onTestFinished(() => node.stop());
  return `${node.host}:${node.port}`;
}
