/** What a partition shows to its readers. */
import type { Client } from "@minikafka/client";

type Isolation = "read_committed" | "read_uncommitted";

/** The values of a partition up to its visible end, in order. */
export async function valuesOf(
  client: Client,
  topic: string,
  partition = 0,
  isolation: Isolation = "read_committed",
): Promise<string[]> {
  const place = { topic, partition };
  const consumer = client.consumer({ autoOffsetReset: "earliest", isolation });
  consumer.assign([place]);
  const { offset: end } = await client.admin().listOffsets({ ...place, at: "latest", isolation });
  const values: string[] = [];
  while ((await consumer.position(place)) < (end ?? 0))
    for (const { value } of await consumer.poll({ timeoutMs: 1_000 })) values.push(`${value}`);
  await consumer.close();
  return values;
}
