/** What producers of transactions are promised, with one broker. */
import { expect, test } from "vitest";
import { committed } from "./offsets-world.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  stateOf,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { memoryWorld } from "./world.ts";

test("records of a transaction are seen when it is committed, in every partition, and not before", async () => {
  const cluster = await openTransactions(memoryWorld());
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(A, "1", "2");
  await producer.send(B, "3");
  expect(committedIn(cluster, A)).toEqual([]);
  expect(await stateOf(cluster)).toBe("ongoing a-0,b-0");
  await producer.commit();
  expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["1", "2"], ["3"]]);
  expect(logOf(cluster, A)).toEqual(["1,2", "commit"]);
  expect(await stateOf(cluster)).toBe("complete_commit");
});

test("records of a transaction that is aborted stay hidden, also when its id is used again", async () => {
  const cluster = await openTransactions(memoryWorld());
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(A, "never");
  await producer.abort();
  await producer.begin();
  await producer.send(A, "ever");
  await producer.commit();
  expect(committedIn(cluster, A)).toEqual(["ever"]);
  expect(logOf(cluster, A)).toEqual(["never", "abort", "ever", "commit"]);
});

test("a group's offsets and the records appear together", async () => {
  const cluster = await openTransactions(memoryWorld());
  const producer = await new TransactionalProducer(cluster).init();
  await producer.begin();
  await producer.send(B, "out");
  await producer.sendOffsets("readers", "a:0=5");
  expect([await committed(cluster, "readers"), committedIn(cluster, B)]).toEqual([[], []]);
  await producer.commit();
  expect([await committed(cluster, "readers"), committedIn(cluster, B)]).toEqual([["a:0=5"], ["out"]]);
});
