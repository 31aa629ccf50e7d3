/** What the tests of compaction share: keyed records into a log, a pass, and what is left. */
import { posix } from "node:path";
import {
  type BatchContent,
  decodeRecords,
  encodeBatch,
  plainFrame,
  readBatchHeader,
  splitFrames,
} from "@minikafka/record";
import type {
  CompactionOutcome,
  CompactionRequest,
  CompactionResult,
} from "../src/log/compaction/compaction-request.ts";
import { LOG_CONFIG_DEFAULTS, type LogConfig } from "../src/log/context/log-config.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { emptyDisk, FOLDER, type LogWorld, type WorldOptions, worldOn } from "./log-world.ts";
import { gzipOnly } from "./packing.ts";

/** A value of `null` is a tombstone. */
export type KeyValue = readonly [key: string | null, value: string | null];

const COMPACTED = {
  compacts: true,
  deletes: false,
  segmentBytes: 400,
  deleteRetentionMs: 100,
  minCleanableDirtyRatio: 0,
};

export const COMPACTED_CONFIG: LogConfig = { ...LOG_CONFIG_DEFAULTS, ...COMPACTED };

export function compactedWorld(options: WorldOptions = {}): LogWorld {
  return worldOn(emptyDisk(), { ...COMPACTED, ...options });
}

export type Producing = Omit<BatchContent, "records" | "frameBytes">;

/** One batch; its n-th record is `timestampMs + n` old. */
export function keyed(pairs: readonly KeyValue[], timestampMs = 1000, producing: Producing = {}): Buffer {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  const records = pairs.map(([key, value], index) => ({
    key: bytes(key),
    value: bytes(value),
    timestampMs: timestampMs + index,
    headers: [],
  }));
  return encodeBatch({ records, ...producing });
}

/** `batches` batches of two of the keys a to d in turn, with values of 50 bytes. Two batches fit a segment. */
export function fillInTurn(log: PartitionLog, batches: number): void {
  for (let number = 0; number < batches; number++) {
    const keys = ["a", "b", "c", "d"].slice(number % 3, 2 + (number % 3));
    fill(
      log,
      keys.map((key): KeyValue => [key, `${key}${number}`.padEnd(50, ".")]),
    );
  }
}

/** Appends one batch for each list of pairs. */
export function fill(log: PartitionLog, ...batches: readonly (readonly KeyValue[])[]): void {
  for (const pairs of batches) log.append(keyed(pairs), 0);
}

export const request = (log: PartitionLog, changes: Partial<CompactionRequest> = {}): CompactionRequest => ({
  nowMs: 10_000,
  cleanEnd: log.logEndOffset,
  copiedEnd: log.logEndOffset,
  bufferBytes: 1 << 16,
  pause: async () => {},
  chunkBytes: 500,
  ...changes,
});

/** What a pass did, which must have been due and must not have given way. */
export function done(outcome: CompactionOutcome | null): CompactionResult {
  if (outcome === null || "gaveWayTo" in outcome)
    throw new Error(`a pass was to be taken, and was not: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Whole frames of the log from its start on, which must join without a hole. */
export function framesOf(log: PartitionLog, bytesMax = 1 << 20): Buffer[] {
  const frames: Buffer[] = [];
  for (let next = log.logStartOffset; next < log.logEndOffset; ) {
    const { batches, nextOffset } = log.read(next, { bytesMax, endOffset: log.logEndOffset });
    for (const frame of splitFrames(batches)) {
      const header = readBatchHeader(frame);
      if (header.baseOffset !== next && frames.length > 0)
        throw new Error(`a frame of offset ${header.baseOffset} lies where ${next} is next`);
      frames.push(frame);
      next = header.nextOffset;
    }
    if (next !== nextOffset) throw new Error(`a read goes on at ${nextOffset}, its frames end at ${next}`);
  }
  return frames;
}

/** `offset key=value` of every record that is left and may be read. */
export function left(log: PartitionLog, bytesMax?: number): string[] {
  return framesOf(log, bytesMax)
    .flatMap((frame) => decodeRecords(plainFrame(frame, gzipOnly)))
    .filter(({ offset }) => offset >= log.logStartOffset)
    .map(({ offset, key, value }) => `${offset} ${key}=${value?.toString().replaceAll(".", "") ?? null}`);
}

/** Names of the segments' files. */
export function segmentFiles({ disk }: LogWorld): string[] {
  const names = [...disk.files().keys()].map((path) => posix.basename(path));
  return names.filter((name) => name.endsWith(".log"));
}

export const fileAt = (name: string) => `${FOLDER}/${name}`;

/** Seven sealed segments and an active one of base offset 28. */
export async function longLog(world: LogWorld = compactedWorld()): Promise<PartitionLog> {
  const log = world.open();
  fillInTurn(log, 15);
  await log.flush();
  return log;
}

/** The latest of each key below offset 28, and all from there on. */
export const LATEST = ["23 d=d11", "24 a=a12", "26 b=b13", "27 c=c13", "28 c=c14", "29 d=d14"];
