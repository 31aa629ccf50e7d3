/** What a bank has to show for itself: to a reader that follows, and when all is done. */
import type { Client } from "@minikafka/client";
import { expect } from "vitest";
import { again } from "./again.ts";
import type { Branch } from "./bank-branch.ts";
import { type Geometry, Ledger } from "./bank-ledger.ts";
import { endsOf, readBalances, readUpTo } from "./bank-reading.ts";
import { BALANCES, TOPIC } from "./bank-transfer.ts";

/** Follows until `over` is called, from broken connection to broken connection. */
export function follow(client: Client, ledger: Ledger): { readonly over: () => Promise<void> } {
  const consumer = client.consumer({ isolation: "read_committed", autoOffsetReset: "earliest" });
  consumer.assign(ledger.positions.map((_, partition) => ({ topic: TOPIC, partition })));
  let isOver = false;
  const reading = (async () => {
    while (!isOver)
      for (const record of await again(() => consumer.poll({ timeoutMs: 100 }))) ledger.see(record);
  })();
  reading.catch(() => {});
  return {
    over: async () => {
      isOver = true;
      await reading;
      await consumer.close();
    },
  };
}

/** Readers who followed and those who come now see all that is committed and nothing else; the same after a restart. */
export async function expectWhole(
  branches: readonly Branch[],
  followed: Ledger,
  client: Client,
  geometry: Geometry,
): Promise<void> {
  const ends = await endsOf(client, geometry, "read_committed");
  expect(ends, "nothing is left open").toEqual(await endsOf(client, geometry, "read_uncommitted"));
  const afterwards = new Ledger(geometry);
  for (const ledger of [followed, afterwards]) {
    await readUpTo(client, ledger, ends);
    for (const branch of branches) {
      const book = ledger.book(branch.name);
      branch.requireKept(book);
      expect([branch.name, book.last, book.balances]).toEqual([branch.name, branch.last, branch.balances]);
    }
  }
  expect(followed.records).toBe(afterwards.records);
  await expectBalances(branches, client, geometry);
}

/** A compacted topic tells the same, also when nothing but the last balances is left: none is of an aborted transfer. */
async function expectBalances(
  branches: readonly Branch[],
  client: Client,
  geometry: Geometry,
): Promise<void> {
  const stepper = client.stepper();
  for (let partition = 0; partition < geometry.partitions; partition += 1)
    await again(() => stepper.rollSegment({ topic: BALANCES, partition }));
  for (;;) {
    const { balances, records } = await readBalances(client, geometry);
    for (const branch of branches)
      expect([branch.name, balances.get(branch.name)]).toEqual([branch.name, branch.balances]);
    if (records === branches.length * geometry.accounts) return;
    // Those that go by themselves may be in its way.
    await again(() => stepper.compact({ topic: BALANCES }));
  }
}
