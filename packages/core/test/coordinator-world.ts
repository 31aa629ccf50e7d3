/** A coordinator over a partition of a test's own, whose state is a map from names to numbers. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { type CoordinatorRecord, MalformedRecord } from "../src/coordinator/coordinator-record.ts";
import { CoordinatorShard } from "../src/coordinator/coordinator-shard.ts";
import type { RecordsOfKind } from "../src/coordinator/record-kinds.ts";
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

/** What is acknowledged. */
export function countOf(shard: CoordinatorShard<CounterKinds>, name: string): Promise<number> {
  return shard.read(({ counter }) => counter.committed.get(name) ?? 0);
}

/** What the next decision counts on; resolves once that is acknowledged. */
export function decidedOn(shard: CoordinatorShard<CounterKinds>, name: string): Promise<number> {
  return shard.write(({ counter }) => ({ records: [], answer: counter.current.get(name) ?? 0 }));
}
