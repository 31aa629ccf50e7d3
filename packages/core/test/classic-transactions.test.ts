/** Offsets of a classic group in a transaction (KIP-447). */
import { expect, test } from "vitest";
import type { Committer } from "../src/offsets/commit-request.ts";
import { ClassicTestMember, together } from "./classic-world.ts";
import { committed } from "./offsets-world.ts";
import { openTransactions, TransactionalProducer } from "./transactional-producer.ts";
import { memoryWorld, rejection } from "./world.ts";

test("are taken of a member of the current generation in any state, of nobody in particular at any time, and of no member of before", async () => {
  const cluster = await openTransactions(memoryWorld());
  const producer = await new TransactionalProducer(cluster).init();
  const member = new ClassicTestMember(cluster, "m", "readers");
  member.instanceId = "one";
  await together([member]);
  const { memberId, generation, instanceId: groupInstanceId } = member;
  const sendAs = (as: Committer | null, offset: number) => {
    const offsets = [{ topic: "a", partition: 0, offset, metadata: null }];
    return cluster.transactions.sendOffsets({
      ...producer.caller,
      groupId: "readers",
      member: as,
      offsets,
    });
  };
  await producer.begin();
  await sendAs({ memberId, generation }, 1);
  await sendAs({ memberId: "", generation: -1 }, 2);
  await sendAs(null, 3);
  expect(await rejection(sendAs({ memberId, generation: 0 }, 9))).toMatchObject({
    code: "ILLEGAL_GENERATION",
  });
  expect(await rejection(sendAs({ memberId: "z", generation }, 9))).toMatchObject({ code: "UNKNOWN_MEMBER" });
  expect(await rejection(sendAs({ memberId: "z", generation, groupInstanceId }, 9))).toMatchObject({
    code: "FENCED_INSTANCE_ID",
  });
  await member.join().ended;
  expect(await member.commit(9).ended, "before there are assignments").toBe("REBALANCE_IN_PROGRESS");
  await sendAs({ memberId, generation: member.generation, groupInstanceId }, 4);
  await producer.commit();
  expect(await committed(cluster, "readers")).toEqual(["a:0=4"]);
  await cluster.close();
});
