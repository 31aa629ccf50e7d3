/** The world ends at every change of the disk: each transaction is all there or not at all, records and offsets together. */
import { describe, expect, test } from "vitest";
import { CrashSignal } from "../src/env/fault-order.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append } from "./cluster-world.ts";
import {
  crashOf,
  expectGoesOn,
  expectWhole,
  sampled,
  seenOn,
  TransactionsLife,
} from "./transaction-crash-world.ts";
import {
  A,
  B,
  committedIn,
  logOf,
  openTransactions,
  stateOf,
  TRANSACTIONS_TOPIC,
  TransactionalProducer,
} from "./transactional-producer.ts";
import { memoryWorld, rejection, type World, worldOn } from "./world.ts";

async function livedThrough(): Promise<TransactionsLife> {
  const world = memoryWorld();
  const life = new TransactionsLife(world, await openTransactions(world));
  await life.init();
  await life.open(1);
  await life.commit(1);
  await life.open(2);
  await life.abort();
  await life.open(3);
  await life.init();
  life.cluster.steps.rollSegment(A);
  await life.open(4);
  await life.commit(4);
  await life.open(5);
  await life.close();
  return life;
}

describe("a crash at any instant", () => {
  test("leaves each transaction whole or not at all; a second one changes nothing, and everything goes on", async () => {
    const { instants } = await livedThrough();
    expect(instants.length).toBeGreaterThan(100);
    for (const [seed, { disk, before, fates }] of sampled(instants, 3)) {
      const crash = crashOf(seed);
      const where = `after a crash (${crash.mode}) at instant ${seed}, before ${before}`;
      const copy = disk.clone();
      copy.crash(crash);
      const first = await seenOn(copy);
      expectWhole(first.seen, fates, where);
      await first.cluster.crash();
      copy.crash(crash);
      const second = await seenOn(copy);
      expect(second.seen, `twice, ${where}`).toEqual(first.seen);
      await expectGoesOn(second.cluster, second.seen, where);
      await second.cluster.crash();
    }
  });

  test("of the completion of what was decided comes to the same, wherever that is interrupted", async () => {
    const { instants } = await livedThrough();
    let interruptions = 0;
    for (const [seed, { disk, before, fates }] of sampled(instants, 5)) {
      const left = disk.clone();
      left.crash({ mode: "lost" });
      const during: MemoryDisk[] = [];
      const recovering = left.clone();
      const end = recovering.beforeChange(() => void during.push(recovering.clone()));
      const { seen, cluster, world } = await seenOn(recovering);
      end();
      await cluster.crash();
      // Only where something had been decided there is something to complete.
      if (world.events.of("transaction_completed").length === 0) continue;
      for (const [index, interrupted] of sampled(during, 3)) {
        const where = `interrupted at change ${index} after a crash at instant ${seed}, before ${before}`;
        interrupted.crash(crashOf(seed + index));
        const again = await seenOn(interrupted);
        expect(again.seen, where).toEqual(seen);
        expectWhole(again.seen, fates, where);
        interruptions += 1;
        await again.cluster.crash();
      }
    }
    expect(interruptions).toBeGreaterThan(10);
  });
});

const POINTS = [
  "transaction.add_partition.before_write",
  "transaction.add_partition.after_write",
  "transaction.prepare.before_write",
  "transaction.prepare.after_write",
  "transaction.marker.before_append",
  "transaction.marker.after_append",
  "transaction.complete.before_write",
  "transaction.complete.after_write",
] as const;

describe.each(POINTS)("a process that dies at %s", (point) => {
  test.each([true, false])(
    "has its transaction finished as it was decided, or aborted by its next instance (commit: %s)",
    async (isCommit) => {
      const world = memoryWorld();
      const cluster = await openTransactions(world);
      const producer = await new TransactionalProducer(cluster).init();
      await producer.begin();
      const isEarly = point.startsWith("transaction.add");
      if (isEarly) await producer.send(A, "1");
      const dying = world.faults.arm({
        point,
        action: "crash",
        ...(isEarly && { site: { topic: TRANSACTIONS_TOPIC } }),
      });
      const life = async () => {
        if (!isEarly) await producer.send(A, "1");
        await producer.send(B, "1");
        await producer.sendOffsets("readers", "a:0=1");
        await producer.end(isCommit);
      };
      expect(await rejection(life())).toBeInstanceOf(CrashSignal);
      expect(dying.hits).toBeGreaterThanOrEqual(1);
      await cluster.crash();
      world.disk.crash({ mode: "lost" });
      const { seen, cluster: again } = await seenOn(world.disk);
      const isDecided = !isEarly && point !== "transaction.prepare.before_write";
      const isThere = isDecided && isCommit;
      const whole = { a: ["1"], b: ["1"], offsets: ["a:0=1"] };
      expect(seen).toEqual(isThere ? whole : { a: [], b: [], offsets: [] });
      expect((await stateOf(again)).split(" ")[0]).toBe(
        isDecided ? `complete_${isCommit ? "commit" : "abort"}` : "ongoing",
      );
      const next = await new TransactionalProducer(again).init();
      await append(again, A, "plain", "all");
      expect(committedIn(again, A)).toEqual([...(isThere ? ["1"] : []), "plain"]);
      expect(logOf(again, A).filter((entry) => entry === "commit" || entry === "abort")).toHaveLength(1);
      await next.begin();
      await next.commit();
      await again.close();
    },
  );
});

describe("the record of a decision", () => {
  test("that a crash has torn is cut: the transaction is open as before, and its next instance ends it", async () => {
    const world = memoryWorld();
    const cluster = await openTransactions(world);
    const producer = await new TransactionalProducer(cluster).init();
    await producer.begin();
    await producer.send(A, "1");
    const site = { topic: TRANSACTIONS_TOPIC };
    world.faults.arm({ point: "log.append.after_write", action: "crash", site });
    expect(await rejection(producer.end(true))).toBeInstanceOf(CrashSignal);
    await cluster.crash();
    const torn = tornIn(world.disk);
    const again = await openTransactions(torn);
    await again.transactions.settled();
    const recovered = torn.events.of("recovered").find(({ topic }) => topic === TRANSACTIONS_TOPIC);
    expect(recovered?.cutBytes).toBeGreaterThan(0);
    expect([await stateOf(again), committedIn(again, A)]).toEqual(["ongoing a-0", []]);
    await new TransactionalProducer(again).init();
    expect(logOf(again, A)).toEqual(["1", "abort"]);
    await again.close();
  });
});

/** A world in which a crash has kept a part of the last write, and not all of it. */
function tornIn(disk: MemoryDisk): World {
  const isStates = (path: string) => path.includes(TRANSACTIONS_TOPIC) && path.endsWith(".log");
  const sizeOf = (files: ReadonlyMap<string, Uint8Array>) =>
    [...files].filter(([path]) => isStates(path)).reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const [all, none] = [disk.clone(), disk.clone()];
  all.crash({ mode: "kept" });
  none.crash({ mode: "lost" });
  for (let seed = 1; seed < 100; seed += 1) {
    const torn = disk.clone();
    torn.crash({ mode: "torn", random: new SeededRandom(seed) });
    const size = sizeOf(torn.files());
    if (size > sizeOf(none.files()) && size < sizeOf(all.files())) return worldOn(torn);
  }
  throw new Error("no crash of a hundred has torn the record");
}
