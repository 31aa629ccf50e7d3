/** The fixture of the log's tests: one partition on a disk that forgets, and the batches that go into it. */
import { posix } from "node:path";
import { decodeRecords, encodeBatch, splitFrames } from "@minikafka/record";
import { ManualClock } from "../src/env/clock.ts";
import type { Disk } from "../src/env/disk.ts";
import type { Env } from "../src/env/env.ts";
import { FaultPoints } from "../src/env/fault-points.ts";
import { MemoryDisk } from "../src/env/memory-disk.ts";
import { SeededRandom } from "../src/env/random.ts";
import { TraceCollector } from "../src/env/trace.ts";
import { BrokerError } from "../src/errors.ts";
import { IndexMemory } from "../src/log/context/index-memory.ts";
import { LOG_CONFIG_DEFAULTS, type LogConfig } from "../src/log/context/log-config.ts";
import { PartitionLog, type PartitionLogOptions } from "../src/log/partition-log.ts";
import { gzipOnly } from "./packing.ts";

export const FOLDER = "/data/broker-1/orders-0";
export const PLACE = { brokerId: 1, topic: "orders", partition: 0 };
export const TOPIC_ID = "5f0c9c6e-7f0b-4d6c-9a3e-2b8f4f1f9b11";
export const MANIFEST = `${FOLDER}/manifest.json`;

export const segmentAt = (baseOffset: number) => `${FOLDER}/${String(baseOffset).padStart(20, "0")}.log`;
export const indexAt = (baseOffset: number) => `${FOLDER}/${String(baseOffset).padStart(20, "0")}.index`;
export const timeIndexAt = (baseOffset: number) =>
  `${FOLDER}/${String(baseOffset).padStart(20, "0")}.timeindex`;
/** Whether a file can be made anew from the others. */
export const isIndex = (path: string) => /\.(time|txn)?index$/.test(path);

/** Settings of the log and its config side by side; what is not said is small. */
export type WorldOptions = Partial<PartitionLogOptions> & Partial<LogConfig>;

export interface LogWorld<D extends Disk = MemoryDisk> {
  readonly disk: D;
  readonly faults: FaultPoints;
  readonly trace: TraceCollector;
  readonly env: Env;
  /** What onFailedSync was told. */
  readonly failures: string[];
  /** What open() gives a log that is told nothing else. */
  readonly config: LogConfig;
  open(changes?: WorldOptions): PartitionLog;
}

/** A disk on which the folder above a partition's is durable. */
export function emptyDisk(): MemoryDisk {
  const disk = new MemoryDisk();
  for (const folder of disk.makeFolder("/data/broker-1")) disk.syncFolder(folder);
  return disk;
}

/** Small segments, and an entry in the index for nearly every batch, unless `options` say otherwise. */
export function worldOn<D extends Disk>(
  disk: D,
  options: WorldOptions = {},
  faults = new FaultPoints(),
): LogWorld<D> {
  const trace = new TraceCollector();
  const failures: string[] = [];
  const env: Env = {
    clock: new ManualClock(),
    disk,
    random: new SeededRandom(1),
    trace: trace.trace,
    faults,
    compression: gzipOnly,
  };
  const config: LogConfig = { ...LOG_CONFIG_DEFAULTS, segmentBytes: 600, ...options };
  const open = (changes: WorldOptions = {}) => {
    const log = PartitionLog.open(
      {
        folder: FOLDER,
        place: PLACE,
        topicId: TOPIC_ID,
        create: true,
        config: { ...config, ...changes },
        indexMemory: new IndexMemory(1 << 20),
        indexIntervalBytes: 150,
        flushesAtRoll: false,
        frameBytesMax: 4096,
        onFailedSync: (problem) => failures.push(problem),
        onUnmarked: () => {},
        ...options,
        ...changes,
      },
      env,
    );
    // The folder's own name is for the caller to make durable.
    if (changes.create ?? options.create ?? true) disk.syncFolder(posix.dirname(options.folder ?? FOLDER));
    return log;
  };
  return { disk, faults, trace, env, failures, config, open };
}

export function newWorld(options: WorldOptions = {}): LogWorld {
  return worldOn(emptyDisk(), options);
}

/** A batch of one record for each text; the n-th is `timestampMs + n` old. */
export function batch(texts: readonly string[], timestampMs = 1000): Buffer {
  return encodeBatch({
    records: texts.map((text, index) => ({
      key: null,
      value: Buffer.from(text),
      timestampMs: timestampMs + index,
      headers: [],
    })),
  });
}

/** Values by offset, read from `offset` on as a consumer does, in steps of `bytesMax`. */
export function readAll(
  log: PartitionLog,
  { offset = log.logStartOffset, bytesMax = 1 << 20 } = {},
): string[] {
  const values: string[] = [];
  for (let next = offset; next < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax, endOffset: log.logEndOffset });
    values.push(...valuesOf(batches, next));
    if (nextOffset <= next) throw new Error(`a read at ${next} goes on at ${nextOffset}`);
    next = nextOffset;
  }
  return values;
}

/** The values of the records from `offset` on. */
export function valuesOf(batches: Buffer, offset = 0): string[] {
  return splitFrames(batches)
    .flatMap((frame) => decodeRecords(frame))
    .filter((record) => record.offset >= offset)
    .map((record) => Buffer.from(record.value ?? []).toString());
}

/** What a power cut could still change, but for indexes, which never count as durable. */
export function unsyncedPaths(disk: MemoryDisk): string[] {
  return disk.unsyncedPaths().filter((path) => !isIndex(path));
}

/** The BrokerError that `act` throws. */
export function refusal(act: () => unknown): BrokerError {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem;
    throw problem;
  }
  throw new Error("nothing was refused");
}

/** The seed of a random test: from the environment, or `fallback`. Its name in messages leads back to it. */
export function seedFromEnvironment(fallback: number): number {
  const { MINIKAFKA_SEED: seed } = process.env;
  return seed === undefined || seed === "" ? fallback : Number(seed);
}

/** Puts other bytes into a file, as a failing device or a careless hand does. */
export function rewrite(disk: Disk, path: string, change: (bytes: Buffer) => Buffer): void {
  const file = disk.openFile(path, { create: "if-missing" });
  const bytes = change(file.readAt(0, file.sizeBytes()));
  file.truncate(0);
  file.writeAt(0, bytes);
  file.syncNow();
  file.close();
}

/** `bytes` with one bit the other way. */
export function flipped(bytes: Buffer, position: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(position) ^ (1 << bit), position);
  return copy;
}
