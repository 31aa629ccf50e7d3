/**
 * Whether what can be seen after a crash is what transactions promise, judged from what was asked and answered before it. Pure: the
 * tests beside it show that each of its rules can be broken.
 */
import type { LogEntry, Observation, PartitionObservation } from "./transaction-observation.ts";

/** One transaction, as who asked for it knows it. Their order is that of their ends. */
export interface Asked {
  /** Every record of it is called so, with a number: `one/1`. */
  readonly name: string;
  /** What was sent: all of it acknowledged, once an end was asked for. */
  readonly sent: readonly { readonly partition: string; readonly value: string }[];
  /** What it sent as the group's offset, as `a:0=5`; `null` for none. */
  readonly offset: string | null;
  /** The end that was asked for by now, by the producer or by another instance. */
  readonly end: "none" | "commit" | "abort";
  /** Whether that was answered. */
  readonly answered: boolean;
}

export interface Witnessed {
  readonly asked: readonly Asked[];
  /** What the group had committed before any of it. */
  readonly offsetsBefore: readonly string[];
  /** Partitions that compaction may have cleaned. */
  readonly cleaned: readonly string[];
}

/** What is wrong, in words; nothing when all is well. `isOver`: every transaction has had its time, and no end is under way. */
export function problemsOf(
  { asked, offsetsBefore, cleaned }: Witnessed,
  seen: Observation,
  { isOver }: { readonly isOver: boolean },
): string[] {
  const read = new Set(seen.partitions.flatMap(({ read }) => read));
  const counting = asked.filter(({ sent }) => sent.some(({ value }) => read.has(value)));
  return [
    ...asked.flatMap((each) => fateProblems(each, read)),
    ...seen.partitions.flatMap((partition) => readProblems(counting, partition)),
    ...offsetProblems(counting, offsetsBefore, seen.offsets),
    ...markerProblems(new Set(counting.flatMap(valuesOf)), seen.partitions, {
      isOver,
      isCleaned: (name) => cleaned.includes(name),
    }),
    ...(isOver ? seen.partitions.flatMap(stuckProblems) : []),
  ];
}

/** All there or not at all; what was answered holds; nothing counts that nobody committed. */
function fateProblems({ name, sent, end, answered }: Asked, read: ReadonlySet<string>): string[] {
  const there = sent.filter(({ value }) => read.has(value)).length;
  const isWhole = there === 0 || there === sent.length;
  return [
    ...(isWhole ? [] : [`${name} is torn: ${there} of ${sent.length} records are read`]),
    ...(there > 0 && end !== "commit" ? [`${name} is read, and nobody committed it: ${end}`] : []),
    ...(there === 0 && sent.length > 0 && end === "commit" && answered
      ? [`${name} was answered as committed, and is not read`]
      : []),
  ];
}

/** A reader gets the records of what counts, each once, in the order in which they were sent, and no others. */
function readProblems(counting: readonly Asked[], { name, read }: PartitionObservation): string[] {
  const expected = counting.flatMap(({ sent }) =>
    sent.flatMap(({ partition, value }) => (partition === name ? [value] : [])),
  );
  return read.join() === expected.join() ? [] : [`${name} reads ${read}; expected ${expected}`];
}

function offsetProblems(
  counting: readonly Asked[],
  before: readonly string[],
  offsets: readonly string[],
): string[] {
  const last = counting.findLast(({ offset }) => offset !== null)?.offset ?? null;
  const expected = last === null ? before : [last];
  return offsets.join() === expected.join() ? [] : [`the group is at ${offsets}; expected ${expected}`];
}

function valuesOf({ sent }: Asked): string[] {
  return sent.map(({ value }) => value);
}

/**
 * Each transaction that wrote to a partition has one marker there, with the epoch that follows, of the same direction everywhere; and
 * there is no other. `values`: what is read. `isCleaned`: of partitions in which records may be gone, and a marker be left.
 */
export function markerProblems(
  values: ReadonlySet<string>,
  partitions: readonly Pick<PartitionObservation, "name" | "log">[],
  { isOver, isCleaned = () => false }: { isOver: boolean; isCleaned?: (name: string) => boolean },
): string[] {
  const problems: string[] = [];
  const fates = new Map<string, string>();
  for (const { name, log } of partitions) {
    const open = new Map<string, readonly string[]>();
    const ended = new Set<string>();
    for (const entry of log) {
      const transaction = transactionOf(entry);
      const what = `the transaction ${transaction} in ${name}`;
      if (entry.kind === "data") {
        if (ended.has(transaction)) problems.push(`${what} goes on at ${entry.offset}, behind its marker`);
        open.set(transaction, [...(open.get(transaction) ?? []), ...entry.values]);
        continue;
      }
      const written = open.get(transaction);
      if (ended.has(transaction)) problems.push(`${what} has a second marker at ${entry.offset}`);
      else if (written === undefined && !isCleaned(name))
        problems.push(`${what} has a marker at ${entry.offset}, and wrote nothing`);
      const fate = fates.get(transaction) ?? entry.kind;
      fates.set(transaction, fate);
      if (fate !== entry.kind) problems.push(`${what} has ${entry.kind}, elsewhere ${fate}`);
      const counts = written?.some((value) => values.has(value)) === true;
      if (counts && entry.kind === "abort") problems.push(`${what} is read, and has an abort marker`);
      open.delete(transaction);
      ended.add(transaction);
    }
    for (const [transaction, written] of open)
      if (isOver || written.some((value) => values.has(value)))
        problems.push(`the transaction ${transaction} in ${name} has no marker`);
  }
  return problems;
}

function transactionOf({ producerId, producerEpoch, kind }: LogEntry): string {
  return `${producerId}:${kind === "data" ? producerEpoch : producerEpoch - 1}`;
}

function stuckProblems(partition: PartitionObservation): string[] {
  const { name, lastStableOffset, highWatermark, logEndOffset } = partition;
  if (lastStableOffset === highWatermark && highWatermark === logEndOffset) return [];
  return [`${name} is stable up to ${lastStableOffset} of ${highWatermark} of ${logEndOffset}`];
}
