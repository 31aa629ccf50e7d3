/** A coordinator over a partition of a test's own, whose state is a map from names to numbers. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { type CoordinatorRecord, MalformedRecord } from "../src/coordinator/coordinator-record.ts";
import { CoordinatorShard } from "../src/coordinator/coordinator-shard.ts";
import type { RecordsOfKind } from "../src/coordinator/record-kinds.ts";
import type { ProducerIdentity } from "../src/replica/producer-identity.ts";
import type { MarkerResult } from "../src/replica/transaction-end.ts";
import type { World } from "./world.ts";

export const PLACE = { topic: "counters", partition: 0 };

interface Counter {
  readonly name: string;
  readonly count: number;
}

/** Each as it stands in the log, and as it is acknowledged. */
export class Counters implements RecordsOfKind<Counter> {
  readonly current = new Map<string, number>();
  readonly committed = new Map<string, number>();
  /** By name: how many transactions whose end is open have written it. */
  readonly staged = new Map<string, number>();
  /** Every record, in the order in which it came. */
  readonly history: string[] = [];

  read({ key, value }: CoordinatorRecord): Counter {
    if (typeof value?.count !== "number") throw new MalformedRecord("it has no count");
    return { name: String(key.name), count: value.count };
  }

  append({ name, count }: Counter): void {
    this.current.set(name, count);
    this.history.push(`append ${name}=${count}`);
  }

  commit({ name, count }: Counter): void {
    this.committed.set(name, count);
    this.history.push(`commit ${name}=${count}`);
  }

  restore({ name, count }: Counter): void {
    this.current.set(name, count);
    this.committed.set(name, count);
    this.history.push(`restore ${name}=${count}`);
  }

  stage({ name, count }: Counter): void {
    this.staged.set(name, (this.staged.get(name) ?? 0) + 1);
    this.history.push(`stage ${name}=${count}`);
  }

  unstage({ name, count }: Counter): void {
    const left = (this.staged.get(name) ?? 0) - 1;
    if (left > 0) this.staged.set(name, left);
    else this.staged.delete(name);
    this.history.push(`unstage ${name}=${count}`);
  }
}

export type CounterKinds = { readonly counter: Counters };

export function counterRecord(name: string, count: number): CoordinatorRecord {
  return { key: { kind: "counter", name }, value: { count } };
}

export function shardOn(cluster: BrokerCluster, world: World): CoordinatorShard<CounterKinds> {
  return new CoordinatorShard<CounterKinds>(
    {
      set: cluster.replicaSet(PLACE),
      append: (set, frame, { inTransaction }) =>
        set.append(frame, { acks: "all", origin: "coordinator", inTransaction }),
      appendMarker: (set, end, onAppended) => set.appendMarker(end, onAppended),
      newKinds: () => ({ counter: new Counters() }),
    },
    world,
  );
}

/** Counts one on, and resolves with the new count. */
export function increment(
  shard: CoordinatorShard<CounterKinds>,
  name: string,
  giveUp?: AbortSignal,
): Promise<number> {
  return shard.write(
    ({ counter }) => {
      const count = (counter.current.get(name) ?? 0) + 1;
      return { records: [counterRecord(name, count)], answer: count };
    },
    giveUp === undefined ? {} : { giveUp },
  );
}

/** Sets it as a part of the producer's transaction. */
export function stage(
  shard: CoordinatorShard<CounterKinds>,
  producer: ProducerIdentity,
  ...counters: readonly (readonly [name: string, count: number])[]
): Promise<null> {
  const records = counters.map(([name, count]) => counterRecord(name, count));
  return shard.write(() => ({ records, answer: null, producer }));
}

/** Sets it at once. */
export function set(shard: CoordinatorShard<CounterKinds>, name: string, count: number): Promise<null> {
  return shard.write(() => ({ records: [counterRecord(name, count)], answer: null }));
}

/** Ends the producer's transaction, with the epoch that follows. */
export function endIn(
  shard: CoordinatorShard<CounterKinds>,
  { producerId, producerEpoch }: ProducerIdentity,
  control: "commit" | "abort",
): Promise<MarkerResult> {
  return shard.endTransaction({
    producerId,
    producerEpoch: producerEpoch + 1,
    coordinatorEpoch: 0,
    control,
  });
}

/** Everything that is acknowledged, as `name=count`; what is staged behind a question mark. */
export function told(shard: CoordinatorShard<CounterKinds>): Promise<string> {
  return shard.read(({ counter: { committed, staged } }) => {
    const counts = Array.from(committed, ([name, count]) => `${name}=${count}`).sort();
    return [...counts, ...Array.from(staged.keys(), (name) => `${name}?`).sort()].join(" ");
  });
}

/** What is acknowledged. */
export function countOf(shard: CoordinatorShard<CounterKinds>, name: string): Promise<number> {
  return shard.read(({ counter }) => counter.committed.get(name) ?? 0);
}

/** What the next decision counts on; resolves once that is acknowledged. */
export function decidedOn(shard: CoordinatorShard<CounterKinds>, name: string): Promise<number> {
  return shard.write(({ counter }) => ({ records: [], answer: counter.current.get(name) ?? 0 }));
}
