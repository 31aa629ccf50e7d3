/** Transactions, as the Admin and the Stepper ask for them. */
import type { ParsedResponse } from "@minikafka/protocol";
import { expect, test } from "vitest";
import { ScriptedPeer } from "../test/support/scripted-peer.ts";
import { connect } from "./client.ts";
import { ManualClock } from "./clock.ts";
import type { TransactionState } from "./transaction-admin.ts";

async function administering() {
  const peer = new ScriptedPeer();
  const client = await connect({ link: peer.link }, { clock: new ManualClock() });
  return { peer, client, admin: client.admin(), stepper: client.stepper() };
}

const listing = {
  transactional_id: "billing",
  state: "ongoing",
  producer_id: 4,
  producer_epoch: 2,
  partitions: 1,
  started_ms: 7,
  coordinator_id: 1,
} as const;

test("transactional ids are listed in the SDK's names, all or those in some states", async () => {
  const { peer, client, admin } = await administering();
  const listed = admin.listTransactions({ states: ["ongoing"] });
  const request = await peer.next("list_transactions");
  expect(request.fields.states).toEqual(["ongoing"]);
  request.answer({ transactions: [listing], unreadable: [] });
  expect(await listed).toEqual([
    {
      transactionalId: "billing",
      state: "ongoing",
      producerId: 4,
      producerEpoch: 2,
      partitions: 1,
      startedMs: 7,
      coordinatorId: 1,
    },
  ]);
  await client.close();
});

test("a list of transactional ids with gaps is refused rather than shown", async () => {
  const { peer, client, admin } = await administering();
  const refused = expect(admin.listTransactions()).rejects.toMatchObject({
    code: "LEADER_NOT_AVAILABLE",
    message: "nobody leads it; the transactional ids of partition 2 of __transaction_state cannot be listed",
    details: { partition: 2, others: 0 },
  });
  const unreadable = [{ partition: 2, code: "LEADER_NOT_AVAILABLE", message: "nobody leads it" }];
  (await peer.next("list_transactions")).answer({ transactions: [listing], unreadable });
  await refused;
  await client.close();
});

const description: ParsedResponse<"describe_transaction"> = {
  transactional_id: "billing",
  coordinator_id: 1,
  state: "ongoing",
  producer_id: 4,
  producer_epoch: 3,
  timeout_ms: 60_000,
  started_ms: 7,
  partitions: [{ topic: "orders", partition: 0 }],
  last_end: { producer_id: 4, producer_epoch: 2, committed: false, cause: "timeout", ended_ms: 9 },
};

test("a transaction is described in the SDK's names", async () => {
  const { peer, client, admin } = await administering();
  const described = admin.describeTransaction("billing");
  (await peer.next("describe_transaction")).answer(description);
  expect(await described).toMatchObject({
    transactionalId: "billing",
    timeoutMs: 60_000,
    lastEnd: { producerId: 4, producerEpoch: 2, committed: false, cause: "timeout", endedMs: 9 },
  });
  await client.close();
});

test.each<[TransactionState, object]>([
  ["ongoing", { producer_id: 4, producer_epoch: 3 }],
  ["prepare_abort", { producer_id: 4, producer_epoch: 2 }],
  ["prepare_commit", { producer_id: 4, producer_epoch: 2 }],
])("an abort by hand of what is %s names the transaction that was seen", async (state, named) => {
  const { peer, client, admin } = await administering();
  const aborted = admin.abortTransaction("billing");
  (await peer.next("describe_transaction")).answer({ ...description, state });
  const request = await peer.next("abort_transaction");
  expect(request.fields).toMatchObject({ transactional_id: "billing", ...named });
  request.answer({ aborted: true });
  expect(await aborted).toBe(true);
  await client.close();
});

test.each(["empty", "complete_commit", "complete_abort"] as const)(
  "an abort by hand of what is %s asks for none: what is begun later is not meant",
  async (state) => {
    const { client, peer, admin } = await administering();
    const aborted = admin.abortTransaction("billing");
    (await peer.next("describe_transaction")).answer({ ...description, state });
    expect(await aborted).toBe(false);
    await client.close();
  },
);

test("an abort by hand that is told which transaction it means does not look", async () => {
  const { peer, client, admin } = await administering();
  const aborted = admin.abortTransaction("billing", { producer: { producerId: 4, producerEpoch: 1 } });
  const request = await peer.next("abort_transaction");
  expect(request.fields).toMatchObject({ transactional_id: "billing", producer_id: 4, producer_epoch: 1 });
  request.answer({ aborted: false });
  expect(await aborted).toBe(false);
  await client.close();
});

test("a step of transactions says what it did with each", async () => {
  const { peer, client, stepper } = await administering();
  const expired = stepper.expireTransactions();
  const failed = { transactional_id: "d", code: "STORAGE_ERROR", message: "no room" };
  (await peer.next("expire_transactions")).answer({
    aborted: ["a"],
    completed: ["b"],
    forgotten: ["c"],
    failed: [failed],
    repaired: [{ topic: "t", partition: 0, producer_id: 7, producer_epoch: 2, committed: false }],
    loaded: [{ topic: "__transaction_state", partition: 1 }],
  });
  expect(await expired).toEqual({
    aborted: ["a"],
    completed: ["b"],
    forgotten: ["c"],
    failed: [{ transactionalId: "d", code: "STORAGE_ERROR", message: "no room" }],
    repaired: [{ topic: "t", partition: 0, producerId: 7, producerEpoch: 2, committed: false }],
    loaded: [{ topic: "__transaction_state", partition: 1 }],
  });
  await client.close();
});
