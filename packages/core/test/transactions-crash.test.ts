/** The world ends at every change of the disk: each transaction is all there or not at all, records and offsets together. */
import { describe, expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { CrashSignal } from "../src/env/fault-points.ts";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { append } from "./cluster-world.ts";
import { committed } from "./offsets-world.ts";
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

/** How the transactions stand, each by its number, which is its records' value and its offset. */
interface Fates {
  /** Answered. */
  readonly committed: ReadonlySet<number>;
  /** May be committed: its commit was asked for. */
  readonly asked: ReadonlySet<number>;
}

/** What readers of committed records see. */
interface Seen {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly offsets: readonly string[];
}

class Life {
  readonly world: World;
  readonly producer: TransactionalProducer;
  readonly instants: { disk: MemoryDisk; before: string; fates: Fates }[] = [];
  readonly #committed = new Set<number>();
  readonly #asked = new Set<number>();

  constructor(world: World, producer: TransactionalProducer) {
    this.world = world;
    this.producer = producer;
    world.disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  note(before: string): void {
    const fates = { committed: new Set(this.#committed), asked: new Set(this.#asked) };
    this.instants.push({ disk: this.world.disk.clone(), before, fates });
  }

  async open(number: number): Promise<void> {
    const { producer } = this;
    await producer.begin();
    await producer.send(A, `${number}`);
    await producer.send(B, `${number}`, `${number}`);
    await producer.sendOffsets("readers", `a:0=${number}`);
  }

  async commit(number: number): Promise<void> {
    this.#asked.add(number);
    await this.producer.commit();
    this.#committed.add(number);
  }
}

async function livedThrough(): Promise<Life> {
  const world = memoryWorld();
  const cluster = await openTransactions(world);
  const life = new Life(world, new TransactionalProducer(cluster));
  const { producer } = life;
  await producer.init();
  await life.open(1);
  await life.commit(1);
  await life.open(2);
  await producer.abort();
  await life.open(3);
  // The instance is gone: the next one ends its transaction first.
  await producer.init();
  cluster.steps.rollSegment(A);
  await life.open(4);
  await life.commit(4);
  await life.open(5);
  await cluster.close();
  life.note("the end");
  return life;
}

function crashOf(seed: number): Crash {
  const random = new SeededRandom(seed);
  const modes: Crash[] = [
    { mode: "kept" },
    { mode: "lost" },
    { mode: "torn", random },
    { mode: "scattered", random },
  ];
  const crash = modes[seed % modes.length];
  if (crash === undefined) throw new Error("there are four");
  return crash;
}

/** Opens, lets what was decided be completed, and looks. The process dies afterwards, without a word, unless it is told to live. */
async function seenOn(disk: MemoryDisk): Promise<{ seen: Seen; cluster: BrokerCluster }> {
  const cluster = await openTransactions(worldOn(disk));
  await cluster.transactions.settled();
  const a = committedIn(cluster, A);
  const b = committedIn(cluster, B);
  return { seen: { a, b, offsets: await committed(cluster, "readers") }, cluster };
}

function expectWhole({ a, b, offsets }: Seen, { committed, asked }: Fates, where: string): void {
  const numbers = a.map(Number);
  expect(b, where).toEqual(a.flatMap((value) => [value, value]));
  expect(offsets, where).toEqual(a.slice(-1).map((value) => `a:0=${value}`));
  for (const number of committed) expect(numbers, where).toContain(number);
  for (const number of numbers) expect([...asked], where).toContain(number);
}

/** Nothing of a life before holds readers back, or comes to light. */
async function expectGoesOn(cluster: BrokerCluster, seen: Seen, where: string): Promise<void> {
  const producer = await new TransactionalProducer(cluster).init();
  await append(cluster, A, "plain", "all");
  expect(committedIn(cluster, A), where).toEqual([...seen.a, "plain"]);
  await producer.begin();
  await producer.send(B, "more");
  await producer.commit();
  expect(committedIn(cluster, B), where).toEqual([...seen.b, "more"]);
  expect(await committed(cluster, "readers"), where).toEqual(seen.offsets);
  for (const place of [A, B]) expectOneMarkerEach(logOf(cluster, place), where);
}

/** What one producer wrote is followed by one marker, whatever it is. */
function expectOneMarkerEach(log: readonly string[], where: string): void {
  const shape = log.map((entry) => (entry === "commit" || entry === "abort" ? "marker" : entry));
  shape.forEach((entry, index) => {
    if (entry === "marker") expect(["marker", "plain", undefined], where).not.toContain(shape[index - 1]);
  });
}

describe("a crash at any instant", () => {
  test("leaves each transaction whole or not at all; a second one changes nothing, and everything goes on", async () => {
    const { instants } = await livedThrough();
    expect(instants.length).toBeGreaterThan(100);
    for (const [seed, { disk, before, fates }] of instants.entries()) {
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
