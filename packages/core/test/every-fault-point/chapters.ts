/**
 * One workload in which every fault point is passed, told in chapters: each is the life of a process from its start to its clean
 * end, so that a fault in the last one can be tried without living through the others again.
 */
import type { MemoryDisk } from "../../src/env/memory-disk.ts";
import { BrokerError } from "../../src/errors.ts";
import type { TopicPartition } from "../../src/replica/topic-partition.ts";
import { batchOf, FOLDER } from "../cluster-world.ts";
import { rewrite } from "../log-world.ts";
import {
  commit,
  commitInTransaction,
  create,
  grow,
  IdempotentSender,
  remove,
  send,
  transact,
} from "./client.ts";
import type { FaultLife } from "./life.ts";

export const PLAIN = { topic: "plain", partition: 0 };
const HOUR_MS = 3_600_000;
const KEYED = { topic: "keyed", partition: 0 };
const AGED = { topic: "aged", partition: 0 };
const MOVED = { topic: "moved", partition: 0 };

export interface Chapter {
  readonly name: string;
  readonly live: (life: FaultLife) => Promise<void>;
}

async function topics(life: FaultLife): Promise<void> {
  await create(life, { topic: "plain", partitions: 1, replicationFactor: 2 });
  await create(life, { topic: "moved", partitions: 1, replicationFactor: 2 }, { later: true });
  const keyed = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0 };
  await create(life, { topic: "keyed", partitions: 1, replicationFactor: 2, config: keyed });
  await create(life, { topic: "aged", partitions: 1, replicationFactor: 2 }, { later: true });
  await grow(life, "plain", 2);
  await life.step("alter aged", async (cluster) => cluster.alterConfig("aged", { retention_ms: HOUR_MS }));
  await send(life, PLAIN, "first");
  await send(life, { topic: "plain", partition: 1 }, "second", { acks: 1 });
  await create(life, { topic: "short", partitions: 1, replicationFactor: 2 });
  await send(life, { topic: "short", partition: 0 }, "soon gone");
  await remove(life, "short");
}

async function logs(life: FaultLife): Promise<void> {
  const sender = new IdempotentSender(life);
  await sender.init();
  for (const value of ["one", "two", "three"]) {
    await sender.send(PLAIN, value);
    await roll(life, PLAIN);
  }
  for (const [key, value] of [
    ["k", "old"],
    ["l", "other"],
    ["k", "new"],
  ] as const) {
    await send(life, KEYED, value, { key });
    await roll(life, KEYED);
  }
  await flush(life);
  await life.step("compact", (cluster) => cluster.steps.compact(() => Promise.resolve(), "keyed"));
  await send(life, AGED, "of yesterday");
  life.clock.advance(2 * HOUR_MS);
  await roll(life, AGED);
  await send(life, AGED, "of today");
  await flush(life);
  life.witness.deletes("aged-0", 1);
  await life.step("retention", (cluster) => cluster.steps.applyRetention("aged"));
  life.witness.deletes("plain-0", 2);
  await life.step("delete records", (cluster) => cluster.deleteRecords(PLAIN, 2));
}

/** The first leader keeps something for itself, over several segments, and has to give it up; later it misses what was deleted. */
async function leaders(life: FaultLife): Promise<void> {
  await send(life, MOVED, "common");
  await life.step("diverge", async (cluster) => {
    const { leaderId } = cluster.replicaSet(MOVED);
    for (const value of ["lonely", "lonelier", "loneliest"]) {
      const sent = {
        place: "moved-0",
        key: null,
        value,
        acks: 1,
        isIdempotent: false,
        transaction: null,
      } as const;
      life.witness.asked(sent);
      if (leaderId !== 1) continue;
      await cluster.appendBatch(MOVED, batchOf([value]), { acks: 1 });
      cluster.steps.rollSegment(MOVED);
    }
    await cluster.promote(MOVED, 2);
  });
  await send(life, MOVED, "led by another");
  await life.step("rejoin", (cluster) => cluster.rejoin(MOVED, 1));
  life.clock.advance(60_000);
  await life.step("stop", (cluster) => cluster.stopBroker(1));
  await life.step("judge who is in sync", async (cluster) => cluster.refreshIsr());
  await send(life, MOVED, "unheard");
  await roll(life, MOVED);
  await life.step("delete what one has missed", async (cluster) => {
    const { highWatermark } = cluster.describePartition(MOVED);
    life.witness.deletes("moved-0", highWatermark ?? 0);
    await cluster.deleteRecords(MOVED, "high_watermark");
  });
  await life.step("start", (cluster) => cluster.startBroker(1));
  await send(life, MOVED, "heard by both");
}

async function groups(life: FaultLife): Promise<void> {
  const member = { groupId: "workers", memberId: "m" };
  await life.step("join", async (cluster) => {
    const request = { ...member, topics: ["plain"], assignor: "range" } as const;
    const { generation } = await cluster.groups.join(request);
    life.witness.generation("workers", generation);
  });
  await commit(life, "readers", 1);
  await commit(life, "readers", 2);
  await commit(life, "strangers", 7);
  await life.step("leave", async (cluster) => {
    // It may have left by a record that was never acknowledged to it.
    await cluster.groups.leave(member).catch(unless("UNKNOWN_MEMBER"));
  });
  await life.step("forget strangers", async (cluster) => {
    life.witness.forgets("strangers");
    const { groups: listed } = await cluster.groups.list();
    if (listed.some(({ groupId }) => groupId === "strangers")) await cluster.groups.delete("strangers");
  });
  await life.renew();
  await commit(life, "readers", 3);
}

async function transactions(life: FaultLife): Promise<void> {
  await transact(life, "paid", "commit", [PLAIN, MOVED]);
  await transact(life, "undone", "abort", [PLAIN, MOVED]);
  await roll(life, PLAIN);
  await commitInTransaction(life, "readers", 4);
  await flush(life);
  await transact(life, "forgotten", "none", [PLAIN]);
  life.clock.advance(100_000);
  await life.step("expire", async (cluster) => {
    const { failed } = await cluster.transactions.expire();
    if (failed[0] !== undefined) throw failed[0].error;
  });
}

/** What a power cut in the middle of appends leaves of a log, and what a full disk leaves of an append. */
async function troubles(life: FaultLife): Promise<void> {
  const lonely = ["torn", "behind the torn"];
  for (const value of lonely) {
    await send(life, PLAIN, value, { acks: 1 });
    await roll(life, PLAIN);
  }
  await life.kill();
  life.witness.doomed(lonely);
  // Where a fault has made somebody flush, there is nothing to tear.
  if (life.codes.size === 0) tear(life.disk, `${FOLDER}/broker-1/plain-0`, "torn");
  await life.renew();
  const failure = life.disk.fail({
    operation: "write",
    code: "ENOSPC",
    path: /aged-0.*\.log$/,
    bytesWritten: 3,
  });
  await send(life, AGED, "on a full disk");
  life.disk.stopFailing();
  if (failure.fired === 0) throw new Error("the disk was never full");
}

async function ending(life: FaultLife): Promise<void> {
  await send(life, PLAIN, "last");
  await remove(life, "aged");
  await flush(life);
}

async function roll(life: FaultLife, place: TopicPartition): Promise<void> {
  await life.step(`roll ${place.topic}`, async (cluster) => cluster.steps.rollSegment(place));
}

async function flush(life: FaultLife): Promise<void> {
  await life.copied();
  await life.step("flush", (cluster) => cluster.steps.flushLogs());
}

/** Passes one refusal over. */
function unless(code: string): (problem: unknown) => void {
  return (problem) => {
    if (!(problem instanceof BrokerError) || problem.code !== code) throw problem;
  };
}

/** Cuts the segment with `text` in it short. */
function tear(disk: MemoryDisk, folder: string, text: string): void {
  const files = [...disk.files()].filter(([path]) => path.startsWith(`${folder}/`));
  const [path] = files.find(([, content]) => content.includes(text)) ?? [];
  if (path === undefined) throw new Error(`no file in ${folder} holds "${text}"`);
  rewrite(disk, path, (bytes) => bytes.subarray(0, -3));
}

export const CHAPTERS: readonly Chapter[] = [
  { name: "topics", live: topics },
  { name: "logs", live: logs },
  { name: "leaders", live: leaders },
  { name: "groups", live: groups },
  { name: "transactions", live: transactions },
  { name: "troubles", live: troubles },
  { name: "the end", live: ending },
];

/** From the first process of the chapter to the clean end of its last. */
export async function lived(chapter: Chapter, life: FaultLife): Promise<void> {
  await life.step("open", () => Promise.resolve());
  await chapter.live(life);
  await life.close();
}
