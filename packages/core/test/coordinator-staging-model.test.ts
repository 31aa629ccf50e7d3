/** A coordinator's records, plain and of transactions, in an order that chance has drawn, beside a plain list of them. */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { CoordinatorShard } from "../src/coordinator/coordinator-shard.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import { openCluster } from "./cluster-world.ts";
import { type CounterKinds, endIn, PLACE, set, shardOn, stage, told } from "./coordinator-world.ts";
import { seedFromEnvironment } from "./log-world.ts";
import { memoryWorld, type World } from "./world.ts";

const HISTORIES = 25;
const STEPS = 60;
const NAMES = 4;
const PRODUCERS = 3;

interface Written {
  readonly name: string;
  readonly count: number;
  /** `null` for a plain one. */
  readonly transaction: Transaction | null;
}

interface Transaction extends ProducerIdentity {
  fate: "open" | "commit" | "abort";
}

class History {
  readonly world: World;
  cluster!: BrokerCluster;
  shard!: CoordinatorShard<CounterKinds>;
  /** In the order of the log. */
  readonly written: Written[] = [];
  readonly #transactions: Transaction[] = [];
  #count = 0;

  constructor(seed: number) {
    this.world = memoryWorld(seed);
  }

  async open(): Promise<void> {
    this.cluster = await openCluster(this.world, { segmentBytes: 1024, flush: "ack" });
    const config = { cleanup_policy: "compact", min_cleanable_dirty_ratio: 0, delete_retention_ms: 50 };
    if (!this.cluster.hasTopic("counters")) this.cluster.createTopic({ ...PLACE, partitions: 1, config });
    this.shard = shardOn(this.cluster, this.world);
  }

  async step(): Promise<void> {
    const { random } = this.world;
    const choice = random.below(100);
    if (choice < 75) await Promise.all(Array.from({ length: 1 + random.below(3) }, () => this.#change()));
    else if (choice < 85) await this.#compact();
    else if (choice < 90) this.shard = shardOn(this.cluster, this.world);
    else if (choice < 95) await this.#end("close");
    else await this.#end("crash");
    expect(await told(this.shard), "as it is told").toBe(this.expected());
    this.world.clock.advance(random.below(30));
  }

  /** For each name the last record that counts, and what is staged behind a question mark. */
  expected(): string {
    const counts = new Map<string, number>();
    const staged = new Set<string>();
    for (const { name, count, transaction } of this.written) {
      if (transaction?.fate === "open") staged.add(name);
      else if (transaction?.fate !== "abort") counts.set(name, count);
    }
    const told = Array.from(counts, ([name, count]) => `${name}=${count}`).sort();
    return [...told, ...Array.from(staged, (name) => `${name}?`).sort()].join(" ");
  }

  /** What is written takes its place in the log before this returns. */
  #change(): Promise<unknown> {
    const { random } = this.world;
    const choice = random.below(10);
    const transaction = this.#transactions[random.below(PRODUCERS)] ?? this.#begin(this.#transactions.length);
    if (choice < 3) return set(this.shard, ...this.#write(null));
    if (choice < 8) {
      const counters = Array.from({ length: 1 + random.below(2) }, () => this.#write(transaction));
      return stage(this.shard, transaction, ...counters);
    }
    const fate = random.below(2) === 0 ? "commit" : "abort";
    transaction.fate = fate;
    this.#begin(this.#transactions.indexOf(transaction));
    return endIn(this.shard, transaction, fate);
  }

  #begin(place: number): Transaction {
    const producerEpoch = (this.#transactions[place]?.producerEpoch ?? -1) + 1;
    const transaction: Transaction = { producerId: 50 + place, producerEpoch, fate: "open" };
    this.#transactions[place] = transaction;
    return transaction;
  }

  #write(transaction: Transaction | null): readonly [name: string, count: number] {
    const name = `n${this.world.random.below(NAMES)}`;
    this.#count += 1;
    this.written.push({ name, count: this.#count, transaction });
    return [name, this.#count];
  }

  async #compact(): Promise<void> {
    if (this.world.random.below(2) === 0) this.cluster.steps.rollSegment(PLACE);
    await this.cluster.steps.flushLogs();
    await this.cluster.steps.compact(() => Promise.resolve());
  }

  async #end(how: "close" | "crash"): Promise<void> {
    if (how === "close") await this.cluster.close();
    else {
      await this.cluster.crash();
      this.world.disk.crash({ mode: "lost" });
    }
    await this.open();
  }
}

test("what is told is what a plain list of the records tells, through ends, loads, compactions and crashes", async () => {
  const first = seedFromEnvironment(1);
  let [compacted, markers] = [0, 0];
  for (let seed = first; seed < first + HISTORIES; seed++) {
    const history = new History(seed);
    await history.open();
    try {
      for (let step = 0; step < STEPS; step++) await history.step();
    } catch (problem) {
      throw new Error(`history of seed ${seed}: ${String(problem)}`, { cause: problem });
    }
    const { events } = history.world;
    compacted += events.of("compacted").filter(({ recordsDropped }) => recordsDropped > 0).length;
    markers += events.of("marker_written").length;
  }
  expect(compacted, "compactions that dropped something").toBeGreaterThan(HISTORIES);
  expect(markers, "transactions that had something to end").toBeGreaterThan(HISTORIES * 5);
}, 60_000);
