/** Holds what was foretold of a step beside what the step then did. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { DutyName, Foretold, PendingStep } from "../src/cluster/pending-step.ts";
import type { TraceEvent, TraceKind } from "../src/env/trace.ts";
import { BrokerError } from "../src/errors.ts";
import type { World } from "./world.ts";

type Would<Name extends DutyName> = Foretold[Name]["would"];

/** How often each step was foretold and taken. */
export type Taken = Map<DutyName, number>;

export class ForesightJudge {
  readonly taken: Taken = new Map();
  /** Steps that the world refused when they were taken. */
  refused = 0;
  /** How often nothing was pending, and every step was taken all the same. */
  quiet = 0;
  readonly #world: World;
  readonly #cluster: () => BrokerCluster;

  constructor(world: World, cluster: () => BrokerCluster) {
    this.#world = world;
    this.#cluster = cluster;
  }

  /** What is pending once all that is under way is done. Looking twice tells the same twice, and leaves disk and events alone. */
  async look(): Promise<PendingStep[]> {
    await allQuiet();
    const before = this.#print();
    const { foresight } = this.#cluster();
    const steps = foresight.steps();
    const deadlines = foresight.deadlines();
    assert.deepEqual(foresight.steps(), steps, "a second look tells the same");
    assert.deepEqual(foresight.deadlines(), deadlines, "a second look tells the same");
    this.#assertUnchanged(before, "a look");
    return steps;
  }

  /** Takes `step`, and compares. */
  async take(step: PendingStep): Promise<void> {
    const from = this.#world.events.events.length;
    try {
      await this.#takeAndCompare(step, () => this.#world.events.events.slice(from));
      this.taken.set(step.operation, (this.taken.get(step.operation) ?? 0) + 1);
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      this.refused++;
    }
    await allQuiet();
  }

  /** Nothing is pending: every step there is changes no byte and tells of nothing. */
  async takeAllInVain(): Promise<void> {
    const cluster = this.#cluster();
    const before = this.#print();
    const acts: (() => unknown)[] = [
      () => cluster.replicateOnce(),
      () => cluster.refreshIsr(),
      () => cluster.steps.flushLogs(),
      () => cluster.groups.expireMembers(),
      () => cluster.groups.expireOffsets(),
      () => cluster.transactions.expire(),
      () => cluster.steps.expireProducers(),
      () => cluster.steps.applyRetention(),
      () => cluster.steps.compact(async () => {}),
    ];
    for (const act of acts) {
      // Some wait for an acknowledgement that nobody gives, and do nothing else.
      Promise.resolve()
        .then(act)
        .catch((problem: unknown) => assert.ok(problem instanceof BrokerError, String(problem)));
      await allQuiet();
      this.#assertUnchanged(before, `${act}, though nothing was pending,`);
    }
    this.quiet++;
  }

  /** Until the next deadline time changes nothing of what is pending, and then something. Moves the clock. */
  async passTime(): Promise<void> {
    await allQuiet();
    const { clock } = this.#world;
    const { foresight } = this.#cluster();
    const [next] = foresight.deadlines();
    if (next === undefined) return;
    const before = operationsOf(foresight.steps());
    clock.set(next.dueMs - 1);
    const then = operationsOf(foresight.steps());
    assert.deepEqual(then, before, `nothing comes due before ${JSON.stringify(next)}`);
    clock.set(next.dueMs);
    const after = foresight.steps();
    assert.ok(
      after.some(({ operation }) => operation === next.operation),
      `${JSON.stringify(next)} has come, and pending are ${operationsOf(after)}`,
    );
    assert.notDeepEqual(operationsOf(after), before, `${JSON.stringify(next)} has come`);
  }

  async #takeAndCompare(step: PendingStep, events: () => TraceEvent[]): Promise<void> {
    const cluster = this.#cluster();
    const of = (kind: TraceKind) => events().filter((event) => event.kind === kind);
    switch (step.operation) {
      case "replicate_once":
        return await this.#compareRound(step);
      case "refresh_isr": {
        const { from, to, highWatermark } = step.would;
        assert.deepEqual(cluster.refreshIsr(step.fields), [{ ...step.fields, from, to }]);
        assert.equal(cluster.replicaSet(step.fields).highWatermark, highWatermark);
        return;
      }
      case "flush_logs": {
        await cluster.steps.flushLogs();
        for (const { brokerId, flushedOffset, logEndOffset, bytes, ...place } of step.would.logs) {
          const copy = cluster.replicaSet(place).leadership.requireCopy(brokerId);
          assert.ok(copy.log.flushedOffset >= logEndOffset, `${flushedOffset} to ${logEndOffset}`);
          const told = of("flushed").some((event) => "bytes" in event && event.bytes === bytes);
          assert.ok(told, `${bytes} bytes of broker ${brokerId} are flushed`);
        }
        return;
      }
      case "expire_members":
        return this.#compareMembers(step.would, await this.#driven(cluster.groups.tendMembers()), of);
      case "expire_offsets": {
        const { loads, ...would } = step.would;
        const { loaded, ...did } = await this.#driven(cluster.groups.tendOffsets());
        if (loads.length === 0) assert.deepEqual(did, would);
        assert.deepEqual(loaded, loads);
        assertLoaded(loads, of("coordinator_loaded"));
        return;
      }
      case "expire_transactions": {
        const { loads, ...would } = step.would;
        const { failed, loaded, ...did } = await this.#driven(cluster.transactions.expire());
        if (loads.length === 0 && failed.length === 0) assert.deepEqual(did, would);
        if (failed.length === 0) assert.deepEqual(loaded, loads);
        assertLoaded(loads, of("coordinator_loaded"));
        return;
      }
      case "expire_producers":
        assert.deepEqual(sorted(cluster.steps.expireProducers()), sorted(step.would.expired));
        return;
      case "apply_retention":
        return await this.#compareRetention(step.fields.topic, step.would, of);
      case "compact": {
        await cluster.steps.compact(async () => {}, step.fields.topic);
        const passes = of("compaction_started").map((event) => ({ ...event, kind: "pass" }));
        const held = of("tombstones_held").map((event) => ({ ...event, kind: "held" }));
        assert.deepEqual(sorted([...passes, ...held]), sorted(step.would.logs));
      }
    }
  }

  async #compareRound({
    fields,
    would,
  }: Extract<PendingStep, { operation: "replicate_once" }>): Promise<void> {
    const cluster = this.#cluster();
    const set = cluster.replicaSet(fields);
    const leaderEnd = set.leaderLog.logEndOffset;
    const { copied, heard } = await cluster.steps.replicateOnce(fields);
    const [round, ...others] = copied;
    assert.deepEqual(others, []);
    assert.equal(copied.length + heard.length, 1, "a round that was foretold is told");
    const { truncatedTo, batches, bytes, problem } = would;
    const isTold = batches > 0 || truncatedTo !== null || problem !== null;
    const told = { ...fields, brokerId: fields.brokerId, truncatedTo, batches, bytes, problem };
    assert.deepEqual(round, isTold ? told : undefined);
    if (problem !== null) return;
    const { logStartOffset, logEndOffset, highWatermark } = set.leadership.requireCopy(fields.brokerId);
    const did = { logStartOffset, logEndOffset, highWatermark, inSyncReplicas: set.inSyncReplicas };
    assert.deepEqual(did, {
      logStartOffset: would.logStartOffset,
      logEndOffset: would.logEndOffset,
      highWatermark: would.highWatermark,
      inSyncReplicas: would.inSyncReplicas,
    });
    // Whoever waited for an acknowledgement may have gone on meanwhile, and written more.
    if (set.leaderLog.logEndOffset === leaderEnd) assert.equal(set.highWatermark, would.leaderHighWatermark);
  }

  #compareMembers(
    { expired, rebalanced, loads }: Would<"expire_members">,
    { loaded, ...did }: Omit<Would<"expire_members">, "loads"> & { loaded: readonly unknown[] },
    of: (kind: TraceKind) => TraceEvent[],
  ): void {
    assertLoaded(loads, of("coordinator_loaded"));
    assert.deepEqual(loaded, loads);
    if (loads.length > 0) return;
    assert.deepEqual(did, { expired, rebalanced });
    const begun = of("generation_started").map((event) => ("groupId" in event ? event.groupId : ""));
    for (const { groupId } of rebalanced) assert.ok(begun.includes(groupId), `${groupId} is rebalanced`);
  }

  async #compareRetention(
    topic: string,
    { logs }: Would<"apply_retention">,
    of: (kind: TraceKind) => TraceEvent[],
  ): Promise<void> {
    const cluster = this.#cluster();
    const retained = await cluster.steps.applyRetention(topic);
    const foretold = logs.map(({ rolls, segments, brokerId, topic: name, partition }) => {
      return { place: { brokerId, topic: name, partition }, isClosed: rolls, deleted: segments };
    });
    const did = retained.map(({ closed, ...log }) => ({ ...log, isClosed: closed !== null }));
    assert.deepEqual(did, foretold);
    assert.equal(of("rolled").length, logs.filter(({ rolls }) => rolls).length, "segments that are closed");
    for (const { brokerId, topic: name, partition, logStartOffset } of logs) {
      const set = cluster.replicaSet({ topic: name, partition });
      assert.equal(set.leadership.requireCopy(brokerId).logStartOffset, logStartOffset);
    }
  }

  /** What waits for acknowledgements has rounds of replication meanwhile. */
  async #driven<Result>(begun: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    begun.then(over, over);
    for (let round = 0; round < 30; round++) {
      await allQuiet();
      if (isOver) return begun;
      await this.#cluster()
        .replicateOnce()
        .catch((problem: unknown) => assert.ok(problem instanceof BrokerError, String(problem)));
    }
    throw new BrokerError("REQUEST_TIMED_OUT", "nobody acknowledges it");
  }

  /** Whoever reads may make an index anew, which says nothing that the segment does not. */
  #print(): string {
    const files = [...this.#world.disk.files()].filter(([path]) => !path.endsWith("index"));
    const contents = files.map(([path, bytes]) => `${path} ${bytes.toString("base64")}`).sort();
    return `${this.#events().length}\n${contents.join("\n")}`;
  }

  #events(): TraceEvent[] {
    return this.#world.events.events.filter(({ kind }) => !kind.startsWith("index_"));
  }

  #assertUnchanged(before: string, what: string): void {
    if (this.#print() === before) return;
    const [count] = before.split("\n");
    const news = this.#events().slice(Number(count));
    assert.fail(`${what} changed something: ${JSON.stringify(news)}`);
  }
}

/** Nothing waits for the disk, which is memory: a turn of the event loop, and all that could go on has gone on. */
function allQuiet(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function assertLoaded(foretold: readonly { topic: string; partition: number }[], told: TraceEvent[]): void {
  const loaded = told.map((event) => ("partition" in event ? `${event.topic}-${event.partition}` : ""));
  for (const { topic, partition } of foretold)
    assert.ok(loaded.includes(`${topic}-${partition}`), `${topic}-${partition} is loaded: ${loaded}`);
}

function sorted(values: readonly unknown[]): unknown[] {
  const text = (value: unknown) => JSON.stringify(value, Object.keys(Object(value)).sort());
  return [...values].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function operationsOf(steps: readonly PendingStep[]): string[] {
  return steps.map(({ operation, fields, would }) => {
    // Whether a round lets its follower in is told as of now.
    const told = operation === "replicate_once" ? {} : would;
    return `${operation} ${JSON.stringify({ fields, told })}`;
  });
}
