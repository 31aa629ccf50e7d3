/** Reading a bank: where its partitions end, up to there into a ledger, and what its compacted topic says. */
import type { Client } from "@minikafka/client";
import { again } from "./again.ts";
import type { Entry, Geometry, Ledger } from "./bank-ledger.ts";
import { BALANCES, TOPIC } from "./bank-transfer.ts";

type Isolation = "read_committed" | "read_uncommitted";

/** Where the partitions end now, for readers of that isolation. */
export function endsOf(client: Client, { partitions }: Geometry, isolation: Isolation): Promise<number[]> {
  return Promise.all(
    Array.from({ length: partitions }, async (_, partition) => {
      const query = { topic: TOPIC, partition, at: "latest", isolation } as const;
      return (await again(() => client.admin().listOffsets(query))).offset ?? 0;
    }),
  );
}

/** Reads on into the ledger until every partition has been read up to `ends`. */
export async function readUpTo(
  client: Client,
  ledger: Ledger,
  ends: readonly number[],
  isolation: Isolation = "read_committed",
): Promise<void> {
  const consumer = client.consumer({ isolation, autoOffsetReset: "error" });
  const placeOf = (partition: number) => ({ topic: TOPIC, partition });
  consumer.assign(
    ends.map((_, partition) => ({ ...placeOf(partition), offset: ledger.positions[partition] ?? 0 })),
  );
  const isBehind = async (partition: number) =>
    (await again(() => consumer.position(placeOf(partition)))) < (ends[partition] ?? 0);
  for (const partition of ends.keys())
    while (await isBehind(partition))
      for (const record of await again(() => consumer.poll({ timeoutMs: 1_000 }))) ledger.see(record);
  await consumer.close();
}

/** The last committed balance of each account, by branch, and how many records that took. */
export async function readBalances(client: Client, { partitions }: Geometry) {
  const balances = new Map<string, number[]>();
  const consumer = client.consumer({ isolation: "read_committed", autoOffsetReset: "earliest" });
  consumer.assign(Array.from({ length: partitions }, (_, partition) => ({ topic: BALANCES, partition })));
  let records = 0;
  do
    for (const { value } of await again(() => consumer.poll({ timeoutMs: 1_000 }))) {
      const { branch, account, balance } = JSON.parse(`${value}`) as Entry;
      const known = balances.get(branch) ?? [];
      known[account] = balance;
      balances.set(branch, known);
      records += 1;
    }
  while ((await again(() => consumer.lag())).some(({ lag }) => lag !== 0));
  await consumer.close();
  return { balances, records };
}
