/**
 * Members of a group that read what the writers write, commit what they have read, leave and come back, and vanish with whatever they
 * had in hand, so that their sessions have to run out.
 */
import {
  type Consumer,
  hasCode,
  isFateUnknown,
  isRetriable,
  type MiniKafkaError,
  type TopicPartition,
} from "@minikafka/client";
import { again } from "../again.ts";
import { CutClient } from "../cut-client.ts";
import type { SoakWorld } from "./soak-world.ts";
import { PLAIN_PARTITIONS, PLAIN_TOPICS } from "./writers.ts";

export const WATCHERS_GROUP = "watchers";
/** Connections are cut after some bytes: answers that most of them let through, so that reading gets somewhere. */
const FETCH_BYTES = 8_192;
/** No call takes so long, whatever dies meanwhile. */
const CALL_MS_MAX = 60_000;
/** What a rebalance makes of a commit: somebody else reads on from the one before. */
const OVERTAKEN = ["ILLEGAL_GENERATION", "NOT_PARTITION_OWNER", "UNKNOWN_MEMBER"] as const;

export function plainPlaces(): TopicPartition[] {
  return PLAIN_TOPICS.flatMap((topic) =>
    Array.from({ length: PLAIN_PARTITIONS }, (_, partition) => ({ topic, partition })),
  );
}

/** What the group has committed now, by place. */
export async function committedByWatchers({ office }: SoakWorld): Promise<ReadonlyMap<string, number>> {
  const partitions = plainPlaces();
  const found = await again(() => office.admin().fetchOffsets(WATCHERS_GROUP, { partitions }));
  return new Map(found.map(({ topic, partition, offset }) => [`${topic}-${partition}`, offset ?? 0]));
}

interface Instance {
  readonly link: CutClient;
  readonly consumer: Consumer;
  /** Behind what was handed out of what it has now. */
  readonly positions: Map<string, TopicPartition & { readonly offset: number }>;
}

/** Reads until it is over and everything is read and committed. */
export async function watch(world: SoakWorld): Promise<void> {
  const { below, progress } = world;
  const gone: Promise<void>[] = [];
  let instance = await newInstance(world);
  for (;;) {
    const drawn = below(60);
    if (drawn === 0) {
      instance.link.vanish();
      gone.push(instance.link.client.close().catch(() => {}));
      progress.note("members vanished");
    }
    if (drawn === 1) {
      await within("close", instance.consumer.close().catch(ignoreOurs));
      gone.push(instance.link.client.close().catch(() => {}));
    }
    if (drawn < 2) instance = await newInstance(world);
    const count = await read(instance, world);
    if (below(3) === 0 || progress.isOver) await commit(instance, world);
    if (count === 0 && progress.isOver && (await isDrained(world))) break;
  }
  await within("last close", instance.consumer.close().catch(ignoreOurs));
  await within("close of the client", instance.link.client.close());
  await within("closes of those before", Promise.all(gone));
}

async function read({ consumer, positions }: Instance, { below, history }: SoakWorld): Promise<number> {
  const maxRecords = 1 + below(100);
  let trouble: unknown;
  const poll = () =>
    consumer.poll({ maxRecords, timeoutMs: 100 }).catch((error: unknown) => {
      trouble = error;
      throw error;
    });
  const records = await within("poll", again(poll), () => trouble);
  for (const { topic, partition, offset, value } of records) {
    const { seen } = history.readOf(topic, partition);
    const before = seen.get(offset);
    if (before !== undefined && before !== `${value}`)
      throw new Error(`${topic}-${partition} has ${value} at ${offset}, where ${before} was`);
    seen.set(offset, `${value}`);
    const place = `${topic}-${partition}`;
    const position = positions.get(place)?.offset ?? 0;
    if (offset < position) throw new Error(`${place} gave offset ${offset} after ${position - 1}`);
    positions.set(place, { topic, partition, offset: offset + 1 });
  }
  return records.length;
}

async function commit({ consumer, positions }: Instance, { history, progress }: SoakWorld): Promise<void> {
  const offsets = [...positions.values()];
  if (offsets.length === 0) return;
  try {
    await within("commit", consumer.commit(offsets));
    for (const { topic, partition, offset } of offsets) {
      const read = history.readOf(topic, partition);
      read.committed = Math.max(read.committed, offset);
    }
    progress.step("group commits");
  } catch (error) {
    if (hasCode(error, ...OVERTAKEN)) return;
    if (!isRetriable(error)) throw error;
    if (!isFateUnknown(error as MiniKafkaError)) return;
    for (const { topic, partition, offset } of offsets) history.readOf(topic, partition).inDoubt.add(offset);
  }
}

async function isDrained(world: SoakWorld): Promise<boolean> {
  const committed = await committedByWatchers(world);
  for (const { topic, partition } of plainPlaces()) {
    const query = { topic, partition, at: "latest" } as const;
    const { offset } = await again(() => world.office.admin().listOffsets(query));
    if ((committed.get(`${topic}-${partition}`) ?? 0) < (offset ?? 0)) return false;
  }
  return true;
}

async function newInstance({ port, bytesUntilCut }: SoakWorld): Promise<Instance> {
  const link = await within("connect", CutClient.open(port, bytesUntilCut));
  const positions: Instance["positions"] = new Map();
  const consumer = link.client.consumer({
    groupId: WATCHERS_GROUP,
    autoCommit: false,
    autoOffsetReset: "earliest",
    sessionTimeoutMs: 2_000,
    heartbeatIntervalMs: 100,
    fetchWaitMs: 100,
    fetchBytes: FETCH_BYTES,
    onRebalance: ({ assigned, revoked, lost }) => {
      for (const { topic, partition } of [...assigned, ...revoked, ...lost])
        positions.delete(`${topic}-${partition}`);
    },
  });
  // What is refused is every poll's as well.
  consumer.subscribe([...PLAIN_TOPICS]).catch(() => {});
  return { link, consumer, positions };
}

/** Fails, in words, when the call does not end; `why` is what it last failed with. */
async function within<T>(call: string, promise: Promise<T>, why?: () => unknown): Promise<T> {
  const bound = AbortSignal.timeout(CALL_MS_MAX);
  let forget = () => {};
  const late = new Promise<never>((_, reject) => {
    const what = `a watcher's ${call} has not ended within ${CALL_MS_MAX} ms`;
    const giveUp = () => reject(new Error(what, { cause: why?.() }));
    bound.addEventListener("abort", giveUp, { once: true });
    forget = () => bound.removeEventListener("abort", giveUp);
  });
  return Promise.race([promise, late]).finally(forget);
}

/** A member that cannot say that it leaves is expired. */
function ignoreOurs(error: unknown): void {
  if (!isRetriable(error) && !hasCode(error, ...OVERTAKEN)) throw error;
}
