/**
 * Committed offsets beside a plain map, through histories that chance has drawn: commits side by side, restarts, crashes, compaction,
 * expiry, topics that go and come back. A failure names its seed; MINIKAFKA_SEED repeats it.
 */
import { expect, test } from "vitest";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import { seedFromEnvironment } from "./log-world.ts";
import { commit, committed, OFFSETS_TOPIC, openOffsets } from "./offsets-world.ts";
import { memoryWorld, type World } from "./world.ts";

const HISTORIES = 30;
const STEPS = 40;
const RETENTION_MS = 1000;
const TOPICS = ["orders", "audit"];
const GROUPS = ["billing", "shipping", "audit \u{1f418}", 'the "quoted"'];

interface Known {
  readonly text: string;
  readonly committedMs: number;
}

class History {
  readonly random: SeededRandom;
  readonly world: World;
  /** By group, then by partition: what must be told. */
  model = new Map(GROUPS.map((group) => [group, new Map<string, Known>()]));
  #cluster: BrokerCluster | null = null;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.world = memoryWorld(seed);
  }

  get cluster(): BrokerCluster {
    if (this.#cluster === null) throw new Error("it is not open");
    return this.#cluster;
  }

  async open(): Promise<void> {
    const config = { offsetsTopicPartitions: 2, offsetsRetentionMs: RETENTION_MS };
    this.#cluster = await openOffsets(this.world, config);
    if (!this.cluster.hasTopic("audit")) this.cluster.createTopic({ topic: "audit", partitions: 2 });
  }

  async step(): Promise<void> {
    const choice = this.random.below(20);
    if (choice < 10) await this.commitSome();
    else if (choice < 12) this.world.clock.advance(this.random.below(400));
    else if (choice < 14) await this.compact();
    else if (choice < 15) await this.restart();
    else if (choice < 17) await this.crash();
    else if (choice < 18) await this.renewTopic();
    else await this.expire();
  }

  /** A few at once, so that some are open while others are decided; the last of a partition counts. */
  async commitSome(): Promise<void> {
    const nowMs = this.world.clock.nowMs();
    const commits = Array.from({ length: 1 + this.random.below(3) }, () => {
      const group = this.pick(GROUPS);
      // Each partition once in one commit; more is refused.
      const offsets = new Map(Array.from({ length: 1 + this.random.below(3) }, () => this.offset()));
      for (const [place, offset] of offsets)
        this.model.get(group)?.set(place, { text: `${place}=${offset}`, committedMs: nowMs });
      return commit(this.cluster, group, ...[...offsets].map(([place, offset]) => `${place}=${offset}`));
    });
    await Promise.all(commits);
  }

  offset(): [place: string, offset: string] {
    const note = this.random.below(4) === 0 ? ` note ${this.random.below(100)}` : "";
    return [`${this.pick(TOPICS)}:${this.random.below(2)}`, `${this.random.below(1000)}${note}`];
  }

  async compact(): Promise<void> {
    if (!this.cluster.hasTopic(OFFSETS_TOPIC)) return;
    for (const partition of [0, 1]) this.cluster.steps.rollSegment({ topic: OFFSETS_TOPIC, partition });
    await this.cluster.steps.flushLogs();
    await this.cluster.steps.compact(() => Promise.resolve(), OFFSETS_TOPIC);
  }

  async restart(): Promise<void> {
    await this.cluster.close();
    await this.open();
  }

  async crash(): Promise<void> {
    const { random } = this;
    const ends: Crash[] = [
      { mode: "kept" },
      { mode: "lost" },
      { mode: "torn", random },
      { mode: "scattered", random },
    ];
    await this.cluster.crash();
    this.world.disk.crash(this.pick(ends));
    await this.open();
  }

  async renewTopic(): Promise<void> {
    this.cluster.deleteTopic("audit");
    if (this.random.below(2) === 0) await this.expire();
    this.cluster.createTopic({ topic: "audit", partitions: 2 });
    this.forget((place) => place.startsWith("audit:"));
  }

  async expire(): Promise<void> {
    await this.cluster.groups.expireOffsets();
    const nowMs = this.world.clock.nowMs();
    this.forget((_place, { committedMs }) => nowMs - committedMs >= RETENTION_MS);
  }

  forget(isOver: (place: string, known: Known) => boolean): void {
    for (const offsets of this.model.values())
      for (const [place, known] of offsets) if (isOver(place, known)) offsets.delete(place);
  }

  async check(): Promise<void> {
    for (const [group, offsets] of this.model) {
      const expected = Array.from(offsets.values(), ({ text }) => text).sort();
      expect((await committed(this.cluster, group)).sort()).toEqual(expected);
    }
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.random.below(values.length)];
    if (value === undefined) throw new Error("there is nothing to pick from");
    return value;
  }
}

test("what is told is always the last acknowledged commit that is not forgotten", async () => {
  const seed = seedFromEnvironment(1);
  let compactions = 0;
  for (let history = seed; history < seed + HISTORIES; history += 1) {
    const life = new History(history);
    try {
      await life.open();
      for (let step = 0; step < STEPS; step += 1) {
        await life.step();
        await life.check();
      }
      await life.cluster.close();
    } catch (problem) {
      throw new Error(`MINIKAFKA_SEED=${history}`, { cause: problem });
    }
    compactions += life.world.events.of("compacted").filter(({ topic }) => topic === OFFSETS_TOPIC).length;
  }
  expect(compactions).toBeGreaterThan(HISTORIES);
});
