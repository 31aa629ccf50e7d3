/** What an unclean promotion has left of transactions whose coordinator has forgotten them. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { committed, OFFSETS_TOPIC } from "./offsets-world.ts";
import { replicatedUntil } from "./replicated-until.ts";
import { A, B, committedIn, logOf } from "./transactional-producer.ts";
import { copied, initialized, OFFSETS, STATES, type Stage } from "./transactions-stage.ts";
import { rejection } from "./world.ts";

const INVALID = { code: "INVALID_TRANSACTION_STATE" };

interface Forgetting extends Stage {
  /** The coordinator's partition is led by a replica that has what was written before this. */
  readonly forget: () => Promise<void>;
}

/** An instance of epoch 0, all of whose coordinator's followers have fallen out. */
async function alone(): Promise<Forgetting> {
  const stage = await initialized();
  const { cluster } = stage;
  await copied(cluster);
  for (const brokerId of [2, 3]) cluster.removeFromIsr(STATES, brokerId);
  const forget = async () => {
    await copied(cluster, ["a", "b", OFFSETS_TOPIC]);
    for (const place of [A, B, OFFSETS]) if (cluster.hasTopic(place.topic)) await cluster.promote(place, 2);
    await cluster.stopBroker(1);
    await cluster.promote(STATES, 2, { unclean: true });
    await cluster.startBroker(1);
  };
  return { ...stage, forget };
}

/** Copies everything but the coordinator's records. */
function done<Result>(cluster: BrokerCluster, work: Promise<Result>): Promise<Result> {
  return replicatedUntil(cluster, work, { topics: ["a", "b", OFFSETS_TOPIC] });
}

/** So many transactions were committed, without a record, and forgotten with the open one that wrote after them. */
async function forgotten(ended: number): Promise<Forgetting> {
  const stage = await alone();
  const { cluster, producer } = stage;
  for (let count = 0; count < ended; count += 1) {
    await done(cluster, producer.begin());
    await done(cluster, producer.commit());
  }
  await done(cluster, producer.begin());
  await done(cluster, producer.send(A, "never"));
  await done(cluster, producer.sendOffsets("readers", "a:0=7"));
  await stage.forget();
  await done(cluster, producer.init());
  expect(producer.identity.producerEpoch).toBe(1);
  await done(cluster, producer.begin());
  return stage;
}

describe("remains of an older epoch", () => {
  test("are aborted before the first record of a new transaction, which goes on", async () => {
    const { cluster, producer } = await forgotten(0);
    await done(cluster, producer.send(A, "new"));
    expect(logOf(cluster, A)).toEqual(["never", "abort", "new"]);
    await done(cluster, producer.commit());
    expect(committedIn(cluster, A)).toEqual(["new"]);
    expect(logOf(cluster, A)).toEqual(["never", "abort", "new", "commit"]);
    await cluster.close();
  });

  test("are so among a group's offsets, which nobody waits for any more", async () => {
    const { cluster, producer } = await forgotten(0);
    await done(cluster, producer.sendOffsets("others", "a:0=3"));
    await done(cluster, producer.commit());
    expect([await committed(cluster, "readers"), await committed(cluster, "others")]).toEqual([
      [],
      ["a:0=3"],
    ]);
    await cluster.close();
  });
});

describe("remains of the epoch that a new transaction got again", () => {
  test("are aborted, and the transaction writes nothing there: the same batch is no duplicate of theirs; the next one works", async () => {
    const { cluster, producer } = await forgotten(1);
    const refused = await done(cluster, rejection(producer.send(A, "never")));
    expect(refused).toMatchObject({ ...INVALID, details: { known_epoch: 2 } });
    expect(logOf(cluster, A)).toEqual(["never", "abort"]);
    expect(await done(cluster, rejection(producer.send(A, "more")))).toMatchObject(INVALID);
    await done(cluster, producer.send(B, "elsewhere"));
    await done(cluster, producer.abort());
    await done(cluster, producer.begin());
    await done(cluster, producer.send(A, "new"));
    await done(cluster, producer.commit());
    expect([committedIn(cluster, A), committedIn(cluster, B)]).toEqual([["new"], []]);
    await cluster.close();
  });

  test("are no part of its commit either", async () => {
    const { cluster, producer } = await forgotten(1);
    expect(await done(cluster, rejection(producer.send(A, "new")))).toMatchObject(INVALID);
    expect(await done(cluster, rejection(producer.sendOffsets("readers", "a:0=9")))).toMatchObject(INVALID);
    await done(cluster, producer.commit());
    expect([committedIn(cluster, A), await committed(cluster, "readers")]).toEqual([[], []]);
    expect(logOf(cluster, A)).toEqual(["never", "abort"]);
    await cluster.close();
  });

  test("of a later one as well", async () => {
    const { cluster, producer } = await forgotten(2);
    expect(await done(cluster, rejection(producer.send(A, "new")))).toMatchObject({
      ...INVALID,
      details: { known_epoch: 3 },
    });
    await done(cluster, producer.abort());
    for (const isTaken of [false, true]) {
      await done(cluster, producer.begin());
      const sent = done(cluster, producer.send(A, "new"));
      if (isTaken) await sent;
      else expect(await rejection(sent)).toMatchObject(INVALID);
      await done(cluster, producer.commit());
    }
    expect(committedIn(cluster, A)).toEqual(["new"]);
    await cluster.close();
  });
});
