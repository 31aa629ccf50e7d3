/**
 * The judge of what writers and watchers were promised. It reads the logs from their start to their end, as any client may, and
 * compares them with the history.
 */
import type { Client, TopicPartition } from "@minikafka/client";
import { again } from "../again.ts";
import { type Acknowledged, writerAndNumber } from "./history.ts";
import type { SoakWorld } from "./soak-world.ts";
import { committedByWatchers, plainPlaces } from "./watchers.ts";
import { kindOf } from "./writers.ts";

export interface Verdict {
  /** How many promises were looked at. */
  readonly checked: number;
  /** Those that were broken, in words. */
  readonly broken: readonly string[];
}

type Log = ReadonlyMap<number, string>;

/** All promises that were made before the call. */
export async function audit(world: SoakWorld): Promise<Verdict> {
  const { history, office } = world;
  const promised = history.kept.slice();
  const marks = plainPlaces().map((place) => ({ ...place, mark: commitMark(world, place) }));
  const refused = new Set(history.refused);
  const committed = await committedByWatchers(world);
  const broken: string[] = [];
  let checked = 0;
  for (const { topic, partition, mark } of marks) {
    const place = `${topic}-${partition}`;
    const say = (what: string) => broken.push(`${place}: ${what}`);
    const seen = new Map(history.readOf(topic, partition).seen);
    const log = await logOf(office, { topic, partition });
    const here = promised.filter((made) => made.topic === topic && made.partition === partition);
    checked += judgeAcknowledged(log, here, say);
    checked += judgeOnce(log, here, refused, say);
    checked += judgeSeen(log, seen, say);
    checked += judgeCommitted(log, seen, committed.get(place) ?? 0, mark, say);
  }
  return { checked, broken };
}

async function logOf(client: Client, place: TopicPartition): Promise<Log> {
  const { offset: end } = await again(() => client.admin().listOffsets({ ...place, at: "latest" }));
  const log = new Map<number, string>();
  const consumer = client.consumer({ autoOffsetReset: "earliest" });
  consumer.assign([place]);
  while ((await again(() => consumer.position(place))) < (end ?? 0))
    for (const { offset, value } of await again(() => consumer.poll({ timeoutMs: 1_000 })))
      log.set(offset, `${value}`);
  await consumer.close();
  return log;
}

type Say = (what: string) => void;

/** What was acknowledged is there, where it was said to be. */
function judgeAcknowledged(log: Log, promised: readonly Acknowledged[], say: Say): number {
  for (const { writer, number, offset } of promised) {
    const value = log.get(offset);
    if (value === undefined || !value.startsWith(`${writer}/${number}/`))
      say(`${writer}/${number} was acknowledged at ${offset}, where ${value?.slice(0, 40) ?? "nothing"} is`);
  }
  return promised.length;
}

/** Nothing is there twice, or though it was refused; what has an order is in it. */
function judgeOnce(
  log: Log,
  promised: readonly Acknowledged[],
  refused: ReadonlySet<string>,
  say: Say,
): number {
  const acknowledged = new Set(promised.map(({ offset }) => offset));
  const numbers = new Map<string, Set<number>>();
  const last = new Map<string, number>();
  let expected = 0;
  for (const [offset, value] of log) {
    if (offset !== expected) say(`offset ${offset} follows ${expected - 1}`);
    expected = offset + 1;
    const { writer, number } = writerAndNumber(value);
    const before = numbers.get(writer) ?? new Set();
    numbers.set(writer, before);
    if (before.has(number)) say(`${writer}/${number} is there twice, again at ${offset}`);
    before.add(number);
    if (refused.has(value)) say(`${writer}/${number} was refused and is there at ${offset}`);
    // What had no answer may have come late, by a connection that was lost.
    if (!kindOf(writer).isOrdered && !acknowledged.has(offset)) continue;
    const highest = last.get(writer) ?? -1;
    if (number < highest) say(`${writer}/${number} is at ${offset}, behind ${writer}/${highest}`);
    last.set(writer, Math.max(highest, number));
  }
  return log.size;
}

/** What a reader was shown does not change. */
function judgeSeen(log: Log, seen: Log, say: Say): number {
  for (const [offset, value] of seen)
    if (log.get(offset) !== value)
      say(
        `${value.slice(0, 40)} was read at ${offset}, where ${log.get(offset)?.slice(0, 40) ?? "nothing"} is`,
      );
  return seen.size;
}

interface CommitMark {
  readonly committed: number;
  readonly inDoubt: ReadonlySet<number>;
}

function commitMark({ history }: SoakWorld, { topic, partition }: TopicPartition): CommitMark {
  const { committed, inDoubt } = history.readOf(topic, partition);
  return { committed, inDoubt };
}

/** The group goes on where it has committed, and nothing before that was skipped. */
function judgeCommitted(log: Log, seen: Log, committed: number, mark: CommitMark, say: Say): number {
  if (committed < mark.committed && !mark.inDoubt.has(committed))
    say(`the group has committed ${committed}; expected ${mark.committed} or more, as was acknowledged`);
  for (const offset of log.keys())
    if (offset < committed && !seen.has(offset))
      say(`the group has committed ${committed}, and nobody has read ${offset}`);
  return 1 + committed;
}
