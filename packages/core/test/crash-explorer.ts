/**
 * What the crash tests share: a log that is used, a witness beside it that knows what may be left of it at every instant,
 * and a search through all instants and all ends of the world at each of them.
 */
import assert from "node:assert/strict";
import { readBatchHeader, splitFrames } from "@minikafka/record";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { changesOf, crashesOf, filesHash, interruptedAt, saying } from "./crash-instants.ts";
import { batch, emptyDisk, readAll, segmentAt, valuesOf, worldOn } from "./log-world.ts";

/** One history that the log may turn out to have. While something is under way there may be several. */
interface Line {
  /** The offset of the first value. */
  readonly origin: number;
  /** The values that append() returned for, in order. */
  readonly values: readonly string[];
  /** Offsets at which a batch ends. */
  readonly ends: ReadonlySet<number>;
  /** The log begins at `start`; while that is moved, anywhere from there up to `startMax`. */
  readonly start: number;
  readonly startMax: number;
  /** Below it everything is said to be durable. */
  readonly flushed: number;
  /** False while the end is moved: then also what survives the death of the process is a matter of chance. */
  readonly isWhole: boolean;
}

const endOf = ({ origin, values }: Line) => origin + values.length;

function emptyLine(offset: number): Line {
  const ends = new Set([offset]);
  return {
    origin: offset,
    values: [],
    ends,
    start: offset,
    startMax: offset,
    flushed: offset,
    isWhole: true,
  };
}

/** An instant at which the world may end. */
interface Instant {
  readonly disk: MemoryDisk;
  readonly before: string;
  /** Whether open() has returned for the first time. */
  readonly exists: boolean;
  readonly lines: readonly Line[];
}

export type Step = (life: Life) => Promise<void>;

/** A log that is used, and a witness beside it. A crash ends one log, and the next one opens on the same disk. */
export class Life {
  readonly disk: MemoryDisk;
  readonly instants: Instant[] = [];
  #exists = false;
  #lines: readonly Line[] = [emptyLine(0)];
  #leaderEpoch = 1;
  #log: PartitionLog | null = null;

  constructor(disk: MemoryDisk) {
    this.disk = disk;
    disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  note(before: string): void {
    const flushedNow = this.#log?.flushedOffset ?? 0;
    const lines = this.#lines.map((line) => ({
      ...line,
      flushed: line.isWhole && this.#lines.length === 1 ? Math.max(line.flushed, flushedNow) : line.flushed,
    }));
    this.instants.push({ disk: this.disk.clone(), before, exists: this.#exists, lines });
  }

  get log(): PartitionLog {
    this.#log ??= this.#opened();
    return this.#log;
  }

  get #line(): Line {
    const [line] = this.#lines;
    assert.ok(line !== undefined && this.#lines.length === 1);
    return line;
  }

  append(records: number, valueBytes: number, timestampMs = 1000): void {
    const { log } = this;
    const line = this.#line;
    const values = Array.from({ length: records }, (_, n) => `${endOf(line) + n}`.padEnd(valueBytes, "."));
    const { nextOffset } = log.append(batch(values, timestampMs), this.#leaderEpoch);
    const ends = new Set(line.ends).add(nextOffset);
    this.#lines = [{ ...line, values: [...line.values, ...values], ends }];
  }

  async truncateTo(offset: number): Promise<void> {
    const line = this.#settled();
    const ends = [...line.ends].filter((end) => end <= offset);
    const end = Math.min(endOf(line), Math.max(...ends));
    if (end < line.start) return await this.#restart(line.start, () => this.log.truncateTo(offset));
    const left = { ...line, values: line.values.slice(0, end - line.origin), ends: new Set(ends) };
    const flushed = Math.min(line.flushed, end);
    this.#lines = [{ ...line, flushed, isWhole: false }];
    await this.log.truncateTo(offset);
    this.#lines = [{ ...left, flushed }];
    assert.equal(this.log.logEndOffset, end);
    this.#leaderEpoch++;
  }

  async restartAt(offset: number): Promise<void> {
    await this.#restart(offset, () => this.log.restartAt(offset));
  }

  async #restart(offset: number, act: () => Promise<void>): Promise<void> {
    const line = this.#settled();
    this.#lines = [line, emptyLine(endOf(line)), emptyLine(offset)];
    await act();
    this.#lines = [emptyLine(offset)];
    assert.equal(this.log.logEndOffset, offset);
    this.#leaderEpoch++;
  }

  async deleteRecords(offset: number): Promise<void> {
    await this.#moveStart(offset, () => this.log.deleteRecords(offset));
    assert.equal(this.log.logStartOffset, Math.max(this.#line.start, offset));
  }

  async applyRetention(nowMs: number, highWatermark = endOf(this.#line)): Promise<void> {
    await this.#moveStart(highWatermark, () => this.log.applyRetention({ nowMs, highWatermark }));
  }

  async #moveStart(offset: number, act: () => Promise<unknown>): Promise<void> {
    const line = this.#settled();
    this.#lines = [{ ...line, startMax: Math.max(line.start, offset) }];
    await act();
    const { logStartOffset: start } = this.log;
    this.#lines = [{ ...this.#line, start, startMax: start }];
  }

  /** The line, with what the log says of itself; the log is open then. */
  #settled(): Line {
    const { flushedOffset } = this.log;
    const line = { ...this.#line, flushed: Math.max(this.#line.flushed, flushedOffset) };
    this.#lines = [line];
    return line;
  }

  async close(): Promise<void> {
    const { log } = this;
    await log.close();
    this.#end();
  }

  /** The process dies, the system lives. */
  kill(): void {
    this.log.abandon();
    this.#end();
    this.disk.crash({ mode: "kept" });
  }

  #end(): void {
    this.#settled();
    this.#log = null;
    this.#leaderEpoch++;
  }

  #opened(): PartitionLog {
    const log = worldOn(this.disk, OPTIONS).open({ create: !this.#exists });
    this.#exists = true;
    return log;
  }
}

/** Of the log in all lives: retention takes what is older than this. */
const OPTIONS = { retentionMs: 10_000 };

async function instantsOf(steps: readonly Step[]): Promise<readonly Instant[]> {
  const life = new Life(emptyDisk());
  for (const step of steps) await step(life);
  life.note("the end");
  return life.instants;
}

/** What a log is found to be. */
interface View {
  readonly start: number;
  readonly end: number;
  readonly values: readonly string[];
}

/** What a log that was opened on `disk` holds, checked against what the witness knows. */
function viewOn(disk: MemoryDisk, instant: Instant): { log: PartitionLog; view: View } {
  const log = worldOn(disk, OPTIONS).open({ create: !instant.exists });
  const { batches, values } = allOf(log);
  const view = { start: log.logStartOffset, end: log.logEndOffset, values };
  assert.equal(view.end - view.start, view.values.length);
  requireSound(view, instant);
  requireTidy(disk, log, batches);
  return { log, view };
}

function requireSound(view: View, { lines }: Instant): void {
  const problems = lines.map((line) => problemOf(view, line));
  assert.ok(problems.includes(null), problems.join("; or "));
}

/** Why the log cannot be what is left of `line`, or `null`. */
function problemOf({ start, end, values }: View, line: Line): string | null {
  if (start < line.start || start > line.startMax)
    return `the log begins at ${start}, not at ${line.start} to ${line.startMax}`;
  if (end < line.flushed) return `the log ends at ${end}, ${line.flushed} were flushed`;
  if (end > endOf(line)) return `the log ends at ${end}, behind ${endOf(line)}`;
  if (!line.ends.has(end)) return `the log ends at ${end}, inside of a batch`;
  const expected = line.values.slice(start - line.origin, end - line.origin);
  return values.every((value, n) => value === expected[n]) ? null : `${values} were not written as they are`;
}

/** The folder holds the segments of the log and no other, and the epochs are those of the batches. */
function requireTidy(disk: MemoryDisk, log: PartitionLog, batches: Buffer): void {
  const paths = [...disk.files().keys()].filter((path) => path.endsWith(".log"));
  assert.deepEqual(
    paths,
    log.segments().map(({ baseOffset }) => segmentAt(baseOffset)),
  );
  const epochs: { leaderEpoch: number; startOffset: number }[] = [];
  for (const { leaderEpoch, baseOffset } of splitFrames(batches).map((frame) => readBatchHeader(frame)))
    if (epochs.at(-1)?.leaderEpoch !== leaderEpoch)
      epochs.push({ leaderEpoch, startOffset: Math.max(baseOffset, log.logStartOffset) });
  const known = log.leaderEpochs.filter(({ startOffset }) => startOffset < log.logEndOffset);
  assert.deepEqual(known, epochs);
}

/** Everything that may be read of a log. */
function allOf(log: PartitionLog): { batches: Buffer; values: string[] } {
  const parts: Buffer[] = [];
  for (let next = log.logStartOffset; next < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax: 1 << 20, endOffset: log.logEndOffset });
    parts.push(batches);
    next = nextOffset;
  }
  const batches = Buffer.concat(parts);
  return { batches, values: valuesOf(batches, log.logStartOffset) };
}

/** Many ends leave the same files; what recovery makes of them is the same each time. */
class Explored {
  readonly #views = new Map<string, View>();
  readonly #first = new Set<string>();

  /** Whether no end before has left this, with as much known of it. What a killed process leaves is more than its files. */
  isNew(disk: MemoryDisk, { mode }: Crash, instant: Instant): boolean {
    const known = instant.lines.map(({ flushed, start, startMax, origin }) => [
      flushed,
      start,
      startMax,
      origin,
    ]);
    const key = `${known.join(" ")} ${keyOf(disk, instant)}`;
    if (mode === "kept" || !this.#first.has(key)) {
      this.#first.add(key);
      return true;
    }
    return false;
  }

  viewOn(disk: MemoryDisk, instant: Instant): View {
    const key = keyOf(disk, instant);
    const known = this.#views.get(key);
    if (known !== undefined) {
      requireSound(known, instant);
      return known;
    }
    const { log, view } = viewOn(disk, instant);
    log.abandon();
    this.#views.set(key, view);
    return view;
  }
}

function keyOf(disk: MemoryDisk, { exists }: Instant): string {
  return `${exists} ${filesHash(disk)}`;
}

/** Everything that must hold when the process dies at `instant` and `disk` is what it left. */
async function expectSurvival(
  disk: MemoryDisk,
  instant: Instant,
  { random, explored }: { random: SeededRandom; explored: Explored },
): Promise<View> {
  const { instants: ends, result } = changesOf(disk, () => viewOn(disk, instant));
  const { log, view } = result;
  log.abandon();

  // Recovery that ends in the middle of itself has done no harm, and comes to the same when nothing was lost.
  for (const { disk: again, crash } of interruptedAt(ends, crashesOf, random)) {
    const left = explored.viewOn(again, instant);
    if (crash.mode === "kept") assert.deepEqual(left, view);
  }

  // Opening once more changes no byte.
  disk.crash({ mode: "kept" });
  const bytes = disk.files();
  const second = viewOn(disk, { ...instant, exists: true });
  assert.deepEqual(second.view, view);
  assert.deepEqual(disk.files(), bytes);

  await expectGoesOn(disk, second.log, view);
  return view;
}

/** The log takes more, and a flush holds through a power cut. */
async function expectGoesOn(disk: MemoryDisk, log: PartitionLog, { start, values }: View): Promise<void> {
  const more = ["more", "m".repeat(400), "and more"];
  for (const value of more) log.append(batch([value]), 1000);
  await log.flush();
  log.abandon();
  disk.crash({ mode: "lost" });
  const last = worldOn(disk, OPTIONS).open({ create: false });
  assert.equal(last.logStartOffset, start);
  assert.deepEqual(readAll(last), [...values, ...more]);
  last.abandon();
}

/** Lives `steps`, ends the world at every instant in every way, and returns how many instants there were. */
export async function expectSurvivalEverywhere(steps: readonly Step[], seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  const explored = new Explored();
  const instants = await instantsOf(steps);
  for (const [number, instant] of instants.entries()) {
    for (const crash of crashesOf(random)) {
      // The one gap, as sync-doubt.ts says: a process that is killed between a failed sync and its mark.
      if (crash.mode === "kept" && instant.before.endsWith("sync-failed")) continue;
      await saying(`${crash.mode} at instant ${number}, before ${instant.before}, seed ${seed}`, async () => {
        const disk = instant.disk.clone();
        disk.crash(crash);
        if (!explored.isNew(disk, crash, instant)) return;
        const { end } = await expectSurvival(disk, instant, { random, explored });
        const [line, ...others] = instant.lines;
        const isCertain = crash.mode === "kept" && line?.isWhole === true && others.length === 0;
        if (isCertain) assert.equal(end, endOf(line));
      });
    }
  }
  return instants.length;
}
