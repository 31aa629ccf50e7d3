/**
 * The world ends between any two changes of the disk while a log is compacted, appended to and flushed, closed and opened,
 * and while what an earlier end left is being recovered. What was not synced is kept, lost, torn or scattered. Afterwards
 * the log is what it was before the pass or what it was to be after it, holds what was flushed, and is compacted again.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { packedFrame } from "@minikafka/record";
import { expect, test } from "vitest";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import type { Crash } from "../src/env/memory-nodes.ts";
import { SeededRandom } from "../src/env/random.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { COMPACTED_CONFIG, type KeyValue, keyed, left, request } from "./compaction-world.ts";
import { changesOf, filesHash, interruptedAt, saying } from "./crash-instants.ts";
import { emptyDisk, FOLDER, seedFromEnvironment, worldOn } from "./log-world.ts";
import { gzipOnly } from "./packing.ts";

/** An instant at which the world may end. */
interface Instant {
  readonly disk: MemoryDisk;
  readonly before: string;
  /** How many records were written, and up to where they were said to be durable. */
  readonly written: number;
  readonly flushed: number;
  /** Passes that had resolved, and whether another was under way. */
  readonly passes: number;
  readonly isInPass: boolean;
}

/** A log that is used, and what its user knows. */
class Life {
  readonly disk = emptyDisk();
  readonly instants: Instant[] = [];
  /** `offset key=value` of every record that was ever appended. */
  readonly lines: string[] = [];
  /** After so many passes, which of them are gone. */
  readonly gone: Set<string>[] = [new Set()];
  nowMs = 1000;
  #log: PartitionLog | null = null;
  #isInPass = false;
  /** Whether batches are compressed. */
  readonly #packs: boolean;

  constructor({ packs }: { readonly packs: boolean }) {
    this.#packs = packs;
    this.disk.beforeChange(({ kind, path }) => this.note(`${kind} of ${path}`));
  }

  get log(): PartitionLog {
    this.#log ??= openOn(this.disk, this.#isNew);
    return this.#log;
  }

  get #isNew(): boolean {
    return this.lines.length === 0;
  }

  note(before: string): void {
    const flushed = this.#log?.flushedOffset ?? 0;
    const passes = this.gone.length - 1;
    const [disk, written] = [this.disk.clone(), this.lines.length];
    this.instants.push({ disk, before, written, flushed, passes, isInPass: this.#isInPass });
  }

  append(...pairs: readonly KeyValue[]): void {
    const plain = keyed(pairs, 1000, {
      producerId: this.lines.length % 3,
      producerEpoch: 0,
      baseSequence: 0,
    });
    this.log.append(this.#packs ? packedFrame(plain, "gzip", gzipOnly) : plain, 0);
    for (const [key, value] of pairs) this.lines.push(`${this.lines.length} ${key}=${value}`);
  }

  async compact(bufferBytes = 1 << 16): Promise<void> {
    const { log } = this;
    const meanwhile: Step[] = [
      flush,
      async (life) => life.append(["b", `${life.lines.length} while a pass`]),
    ];
    let rests = 0;
    const pause = async () => {
      rests += 1;
      if (rests % 3 === 0) await meanwhile.pop()?.(this);
    };
    this.#isInPass = true;
    const result = await log.compact(
      request(log, { nowMs: this.nowMs, bufferBytes, pause, chunkBytes: 300 }),
    );
    assert.notEqual(result, null);
    const kept = new Set(left(log));
    this.gone.push(new Set(this.lines.filter((line) => !kept.has(line))));
    this.#isInPass = false;
  }

  async close(): Promise<void> {
    await this.log.close();
    this.#log = null;
  }
}

function openOn(disk: MemoryDisk, create = false): PartitionLog {
  return worldOn(disk, { ...COMPACTED_CONFIG }).open({ create });
}

type Step = (life: Life) => Promise<void>;

const append =
  (...pairs: readonly KeyValue[]): Step =>
  async (life) =>
    life.append(...pairs);
/** Compresses badly, so that segments end at the same batches whether they are compressed or not. */
const long = (text: string) =>
  text +
  [1, 2, 3]
    .map((part) =>
      createHash("sha256")
        .update(text + part)
        .digest("base64url"),
    )
    .join("");
const flush: Step = ({ log }) => log.flush();
const compact: Step = (life) => life.compact();
const compactInPart: Step = (life) => life.compact(2 * 32);
const laterBy =
  (ms: number): Step =>
  async (life) => {
    life.nowMs += ms;
  };

/** Two passes: one that covers a part, and one that drops tombstones as well; each over segments that merge and that do not. */
const STORY: readonly Step[] = [
  append(["a", long("1")], ["b", long("1")]),
  append(["a", null], [null, "no key"]),
  append(["b", long("2")], ["c", long("1")]),
  append(["d", long("1")]),
  flush,
  compactInPart,
  append(["d", long("2")]),
  append(["a", long("3")]),
  (life) => life.close(),
  append(["e", long("1")]),
  flush,
  laterBy(500),
  compact,
  (life) => life.close(),
];

/** What a device may have done is drawn: over all instants each comes up often enough. */
function crashesOf(random: SeededRandom): Crash[] {
  return [{ mode: "kept" }, { mode: "lost" }, { mode: random.below(2) === 0 ? "torn" : "scattered", random }];
}

/** Opens what a crash has left, which must be one of the two. */
function openedSound(
  disk: MemoryDisk,
  life: Life,
  instant: Instant,
): { log: PartitionLog; records: string[] } {
  const log = openOn(disk);
  const records = left(log);
  const end = log.logEndOffset;
  assert.ok(end >= instant.flushed && end <= instant.written, `the log ends at ${end}`);
  const { passes, isInPass } = instant;
  const allowed = (isInPass ? [passes, passes + 1] : [passes]).map((count) =>
    life.lines.slice(0, end).filter((line) => life.gone[count]?.has(line) !== true),
  );
  assert.ok(
    allowed.some((lines) => JSON.stringify(lines) === JSON.stringify(records)),
    `the log holds ${records.join(", ")}; expected one of ${allowed.map((lines) => lines.join(", ")).join(" OR ")}`,
  );
  requireNoStrays(disk, log);
  return { log, records };
}

/** Each file of a segment is one that counts. */
function requireNoStrays(disk: MemoryDisk, log: PartitionLog): void {
  const names = [...disk.files().keys()].filter(
    (path) => path.startsWith(FOLDER) && /\.log(\.tmp)?$/.test(path),
  );
  assert.equal(names.length, log.segments().length, `${names.join(", ")} are there`);
}

function tableOf(records: readonly string[]): Map<string, string> {
  const table = new Map<string, string>();
  for (const record of records) {
    const [, key = "", value = ""] = /^\d+ (\w+)=(.*)$/.exec(record) ?? [];
    if (value === "null") table.delete(key);
    else if (key !== "null") table.set(key, value);
  }
  return table;
}

/** Many ends leave the same files, of which the same is known; what comes of them is the same each time. */
class Explored {
  readonly #ends = new Set<string>();

  /** Whether no end before has left this. What a process that was killed has not synced is more than its files. */
  isNew(when: string, disk: MemoryDisk, { mode }: Crash, { flushed, passes, isInPass }: Instant): boolean {
    const key = [
      when,
      mode === "kept" ? disk.unsyncedPaths() : "",
      flushed,
      passes,
      isInPass,
      filesHash(disk),
    ].join(" ");
    const isNew = !this.#ends.has(key);
    this.#ends.add(key);
    return isNew;
  }
}

interface Exploring {
  readonly life: Life;
  readonly instant: Instant;
  readonly random: SeededRandom;
  readonly explored: Explored;
}

/** Everything that must hold when the process dies at an instant and `disk` is what it left. */
async function expectSurvival(disk: MemoryDisk, exploring: Exploring): Promise<void> {
  const { life, instant, random, explored } = exploring;
  const { instants: ends, result } = changesOf(disk, () => openedSound(disk, life, instant));
  const { log, records } = result;
  log.abandon();
  for (const { disk: again, crash } of interruptedAt(ends, crashesOf, random)) {
    if (!explored.isNew("in recovery", again, crash, instant)) continue;
    const second = openedSound(again, life, instant);
    second.log.abandon();
    if (crash.mode === "kept") assert.deepEqual(second.records, records);
  }
  disk.crash({ mode: "kept" });
  await expectGoesOn(disk, records);
}

/** The log takes more, a pass goes through, and both hold through a power cut. */
async function expectGoesOn(disk: MemoryDisk, records: readonly string[]): Promise<void> {
  const log = openOn(disk);
  const end = log.logEndOffset;
  log.append(keyed([["a", "more"]]), 0);
  await log.flush();
  await log.compact(request(log, { nowMs: 1 << 30 }));
  log.abandon();
  disk.crash({ mode: "lost" });
  const last = openOn(disk);
  assert.deepEqual(tableOf(left(last)), tableOf([...records, `${end} a=more`]));
  requireNoStrays(disk, last);
  last.abandon();
}

test.each([
  ["plain", false],
  ["compressed", true],
])(
  "a crash before any change of the disk leaves a log of %s batches as it was before the pass, or as it is after it",
  async (_name, packs) => {
    const seed = seedFromEnvironment(1);
    const random = new SeededRandom(seed);
    const life = new Life({ packs });
    for (const step of STORY) await step(life);
    life.note("the end");
    // What comes before the first pass is for log-crash.test.ts.
    const first = life.instants.findIndex(({ isInPass }) => isInPass);
    const explored = new Explored();
    for (const [number, instant] of life.instants.entries()) {
      if (number < first) continue;
      for (const crash of crashesOf(random)) {
        await saying(
          `${crash.mode} at instant ${number}, before ${instant.before}, seed ${seed}`,
          async () => {
            const disk = instant.disk.clone();
            disk.crash(crash);
            if (explored.isNew("before", disk, crash, instant))
              await expectSurvival(disk, { life, instant, random, explored });
          },
        );
      }
    }
    expect(life.gone.map(({ size }) => size)).toEqual([0, 2, 5]);
    expect(life.instants.filter(({ isInPass }) => isInPass).length).toBeGreaterThan(60);
  },
  120_000,
);
