/** Transactions that are open in a partition's log, and that no coordinator knows of: an unclean promotion has lost their end. */
import { describe, expect, test } from "vitest";
import { fateOf } from "../src/transaction/hanging-transactions.ts";
import { newTransaction, type Transaction } from "../src/transaction/transaction-state.ts";
import { committed, OFFSETS_TOPIC } from "./offsets-world.ts";
import { outcomeOf } from "./replica-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  stateOf,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { begun, copied, initialized, OFFSETS, STATES, type Stage } from "./transactions-stage.ts";
import { rejection } from "./world.ts";

/** A transaction with a record in a and offsets, on three brokers. */
async function written(): Promise<Stage> {
  const stage = await begun();
  const { cluster, producer } = stage;
  await replicatedUntil(cluster, producer.send(A, "1"));
  await replicatedUntil(cluster, producer.sendOffsets("readers", "a:0=1"));
  await copied(cluster);
  return stage;
}

/** Ended, with markers that broker 1 alone had, and that broker 2 leads without. */
async function withoutMarkers(commit: boolean): Promise<Stage> {
  const stage = await written();
  const { cluster, producer } = stage;
  for (const place of [A, OFFSETS]) for (const brokerId of [2, 3]) cluster.removeFromIsr(place, brokerId);
  await replicatedUntil(cluster, commit ? producer.commit() : producer.abort(), {
    topics: [TRANSACTIONS_TOPIC],
  });
  await copied(cluster, [TRANSACTIONS_TOPIC]);
  await cluster.promote(STATES, 2);
  await cluster.stopBroker(1);
  await cluster.promote(B, 2);
  for (const place of [A, OFFSETS]) await cluster.promote(place, 2, { unclean: true });
  await cluster.startBroker(1);
  expect([logOf(cluster, A), committedIn(cluster, A)]).toEqual([["1"], []]);
  return stage;
}

/** Its transactional id is gone, or back where it was before it began: the coordinator's followers had fallen out before. */
async function withoutStates(known = "other"): Promise<Stage> {
  const { world, cluster } = await initialized(known);
  await copied(cluster, [TRANSACTIONS_TOPIC]);
  for (const brokerId of [2, 3]) cluster.removeFromIsr(STATES, brokerId);
  const producer = new TransactionalProducer(cluster);
  await producer.init();
  await producer.begin();
  await replicatedUntil(cluster, producer.send(A, "1"), { topics: ["a"] });
  await replicatedUntil(cluster, producer.sendOffsets("readers", "a:0=1"), { topics: [OFFSETS_TOPIC] });
  await copied(cluster, ["a", OFFSETS_TOPIC]);
  for (const place of [A, B, OFFSETS]) await cluster.promote(place, 2);
  await cluster.stopBroker(1);
  await cluster.promote(STATES, 2, { unclean: true });
  await cluster.startBroker(1);
  return { world, cluster, producer };
}

const at = (topic: string, committed: boolean) => ({
  ...{ topic, partition: 0, producerId: 1, producerEpoch: 0, committed },
});

describe("a transaction that hangs", () => {
  test.each(["the step", "the next transaction that writes there"])(
    "is not taken for a committed one to which its epoch was given once more: %s aborts it",
    async (who) => {
      const { cluster, producer: lost } = await withoutStates("billing");
      const producer = new TransactionalProducer(cluster);
      await replicatedUntil(cluster, producer.init());
      expect(producer.identity).toEqual(lost.identity);
      await replicatedUntil(cluster, producer.begin());
      await replicatedUntil(cluster, producer.send(B, "elsewhere"));
      await replicatedUntil(cluster, producer.commit());
      if (who === "the step") {
        const { repaired } = await replicatedUntil(cluster, cluster.transactions.expire());
        expect(repaired.map(({ topic, committed }) => [topic, committed])).toEqual(
          expect.arrayContaining([
            ["a", false],
            [OFFSETS_TOPIC, false],
          ]),
        );
      } else {
        await replicatedUntil(cluster, producer.begin());
        await replicatedUntil(cluster, producer.send(A, "2"));
        await replicatedUntil(cluster, producer.sendOffsets("readers", "a:0=2"));
        await replicatedUntil(cluster, producer.commit());
      }
      await copied(cluster, ["a", "b", OFFSETS_TOPIC]);
      expect(committedIn(cluster, B)).toEqual(["elsewhere"]);
      expect(committedIn(cluster, A)).toEqual(who === "the step" ? [] : ["2"]);
      expect(await committed(cluster, "readers")).toEqual(who === "the step" ? [] : ["a:0=2"]);
      await cluster.close();
    },
  );

  test.each([
    [true, ["1"], ["a:0=1"]],
    [false, [], []],
  ])(
    "since its marker was lost is ended by the step as it was ended before (commit: %s)",
    async (commit, records, offsets) => {
      const { world, cluster } = await withoutMarkers(commit);
      const { repaired } = await replicatedUntil(cluster, cluster.transactions.expire());
      expect(repaired).toEqual(expect.arrayContaining([at("a", commit), at(OFFSETS_TOPIC, commit)]));
      expect(repaired).toHaveLength(2);
      expect(world.events.of("hanging_transaction_ended")).toHaveLength(2);
      await copied(cluster, ["a", OFFSETS_TOPIC]);
      expect(logOf(cluster, A)).toEqual(["1", commit ? "commit" : "abort"]);
      expect([committedIn(cluster, A), await committed(cluster, "readers")]).toEqual([records, offsets]);
      expect((await cluster.transactions.expire()).repaired).toEqual([]);
      await cluster.close();
    },
  );

  test("since its marker was lost is ended as it was ended before a new one of the id writes there, too", async () => {
    const { cluster, producer } = await withoutMarkers(true);
    await replicatedUntil(cluster, producer.begin());
    await replicatedUntil(cluster, producer.send(A, "2"));
    await replicatedUntil(cluster, producer.sendOffsets("others", "a:0=2"));
    await replicatedUntil(cluster, producer.abort());
    expect(logOf(cluster, A)).toEqual(["1", "commit", "2", "abort"]);
    expect([committedIn(cluster, A), await committed(cluster, "readers")]).toEqual([["1"], ["a:0=1"]]);
    await cluster.close();
  });

  test("since nobody knows its transactional id is aborted by the step, records and offsets", async () => {
    const { cluster } = await withoutStates();
    const { repaired } = await replicatedUntil(cluster, cluster.transactions.expire());
    expect(repaired).toEqual(
      expect.arrayContaining(
        [at("a", false), at(OFFSETS_TOPIC, false)].map((each) => ({ ...each, producerId: 2 })),
      ),
    );
    expect([logOf(cluster, A), await committed(cluster, "readers")]).toEqual([["1", "abort"], []]);
    await cluster.close();
  });

  test("is left alone while the transactional ids cannot all be read, and ended once they can", async () => {
    const { cluster } = await withoutStates();
    await cluster.stopBroker(2);
    await cluster.promote(A, 1);
    expect((await cluster.transactions.expire()).repaired).toEqual([]);
    expect(logOf(cluster, A)).toEqual(["1"]);
    await cluster.startBroker(2);
    const { repaired } = await replicatedUntil(cluster, cluster.transactions.expire());
    expect(repaired).toHaveLength(2);
    await cluster.close();
  });
});

describe("a transaction that is open", () => {
  test("is not touched, with a write to a new partition under way, nor when its coordinator moves while the step looks", async () => {
    const { cluster, producer } = await written();
    const sent = producer.send(B, "2");
    expect(await outcomeOf(sent)).toBe("pending");
    const steps = [cluster.transactions.expire(), cluster.transactions.expire()];
    await cluster.promote(STATES, 2);
    steps.push(cluster.transactions.expire());
    for (const step of steps) expect((await replicatedUntil(cluster, step)).repaired).toEqual([]);
    const refused = await replicatedUntil(cluster, rejection(sent));
    expect(refused).toMatchObject({ code: "FENCED_LEADER_EPOCH" });
    await replicatedUntil(cluster, producer.commit());
    expect([logOf(cluster, A), logOf(cluster, B)]).toEqual([["1", "commit"], []]);
    await cluster.close();
  });

  test("is not touched when its end was decided and its markers wait", async () => {
    const { world, cluster, producer } = await written();
    const rule = world.faults.arm({
      point: "transaction.marker.before_append",
      action: "error",
      times: "always",
    });
    await replicatedUntil(cluster, rejection(producer.end(true)));
    expect((await replicatedUntil(cluster, cluster.transactions.expire())).repaired).toEqual([]);
    expect(await stateOf(cluster)).toMatch(/^prepare_commit/);
    world.faults.disarm(rule);
    const expired = await replicatedUntil(cluster, cluster.transactions.expire());
    expect(expired).toMatchObject({ completed: ["billing"], repaired: [] });
    await cluster.close();
  });

  test("or decided is its coordinator's, in whatever partition; what was committed is committed, all else aborted", () => {
    const open = { producerId: 7, producerEpoch: 3 };
    const next = { producerId: 7, producerEpoch: 4 };
    const place = { topic: "a", topicId: "id", partition: 0 };
    const committedIn = new Map([["a-0", place]]);
    const lastEnd = { producer: open, committed: true, cause: "request", endedMs: 0, committedIn } as const;
    const dead = newTransaction("t");
    const fate = (...transactions: Partial<Transaction>[]) =>
      fateOf(
        { ...open, place },
        transactions.map((each) => ({ ...dead, ...each })),
      );
    expect(fate()).toBe("abort");
    expect(fate({ ...open, state: "ongoing" })).toBe("none_of_ours");
    expect(fate({ ...next, state: "ongoing" })).toBe("abort");
    expect(fate({ ...open, state: "empty" })).toBe("abort");
    expect(fate({ ...next, state: "prepare_commit", markerProducer: next, lastEnd })).toBe("none_of_ours");
    // Whose epochs are used up has another id by then.
    expect(fate({ producerId: 9, state: "prepare_commit", markerProducer: next, lastEnd })).toBe(
      "none_of_ours",
    );
    expect(fate({ producerId: 9, state: "complete_commit", lastEnd })).toBe("commit");
    expect(fate({ ...next, state: "ongoing", lastEnd })).toBe("commit");
    expect(fate({ ...next, state: "empty", lastEnd: { ...lastEnd, committed: false } })).toBe("abort");
    expect(fate({ ...next, state: "empty", lastEnd: { ...lastEnd, producer: next } })).toBe("abort");
    // The same identity, given once more to somebody who never wrote there, or wrote to an older topic of the name.
    expect(fate({ ...next, state: "empty", lastEnd: { ...lastEnd, committedIn: new Map() } })).toBe("abort");
    const older = new Map([["a-0", { ...place, topicId: "older" }]]);
    expect(fate({ ...next, state: "empty", lastEnd: { ...lastEnd, committedIn: older } })).toBe("abort");
  });
});
