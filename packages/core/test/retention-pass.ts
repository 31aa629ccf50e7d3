/** One pass of compaction's decision over frames that are made by hand: what the tests of batch-retention.ts share. */
import { crc32 } from "node:zlib";
import {
  assignBatch,
  decodeRecords,
  encodeBatch,
  frameProblem,
  plainFrame,
  readBatchHeader,
  storedRecordsProblem,
} from "@minikafka/record";
import { expect } from "vitest";
import { SeededRandom } from "../src/env/random.ts";
import { BatchRetention, type RetentionRules } from "../src/log/compaction/batch-retention.ts";
import { KeyOffsetMap } from "../src/log/compaction/key-offset-map.ts";
import { ProducerTails } from "../src/log/compaction/producer-tails.ts";
import { TransactionWatch } from "../src/log/compaction/transaction-watch.ts";
import type { AbortedTransaction } from "../src/log/indexes/aborted-index.ts";
import { ProducerState } from "../src/log/producers/producer-state.ts";
import type { OpenTransaction } from "../src/log/producers/transaction-state.ts";
import { gzipOnly } from "./packing.ts";

/** `["k", "v"]`; a value of `null` is a tombstone. */
export type KeyValue = readonly [key: string | null, value: string | null];

export interface Producing {
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly transactional?: boolean;
}

export function frameAt(baseOffset: number, pairs: readonly KeyValue[], producing: Producing = {}): Buffer {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  const records = pairs.map(([key, value]) => ({
    ...{ key: bytes(key), value: bytes(value) },
    ...{ timestampMs: 500, headers: [] },
  }));
  const frame = encodeBatch({ records, ...producing });
  assignBatch(frame, { baseOffset, leaderEpoch: 0 });
  return frame;
}

/** With other flags, as a later version of this program will write them. */
export function flagged(frame: Buffer, flags: number): Buffer {
  const changed = Buffer.from(frame);
  changed.writeUInt8(changed.readUInt8(13) | flags, 13);
  changed.writeUInt32BE(crc32(changed.subarray(12)), 8);
  return changed;
}

export const COMMIT = 0x02;
export const ABORT = 0x04;
export const GZIP = 1 << 3;

export function marker(baseOffset: number, producerId: number, kind: number, producerEpoch = 0): Buffer {
  const frame = frameAt(baseOffset, [["", ""]], { producerId, producerEpoch, transactional: true });
  return flagged(frame, kind);
}

export interface Pass extends Partial<RetentionRules> {
  readonly aborted?: readonly AbortedTransaction[];
  readonly open?: readonly OpenTransaction[];
}

/** One pass over `frames`, of which all are dirty and covered unless it is said otherwise. */
export function pass(frames: readonly Buffer[], { aborted = [], open = [], ...rules }: Pass = {}) {
  const latest = new KeyOffsetMap({ bufferBytes: 1 << 16, keysMax: 100 }, new SeededRandom(1));
  const transactions = new TransactionWatch({ aborted, open });
  const state = new ProducerState();
  const headers = frames.map((frame) => readBatchHeader(frame));
  const coveredEnd = rules.coveredEnd ?? headers.at(-1)?.nextOffset ?? 0;
  frames.forEach((frame, index) => {
    const header = headers[index] as ReturnType<typeof readBatchHeader>;
    state.note(header, 0);
    if (header.control !== null || transactions.isAborted(header) || transactions.isOpen(header)) return;
    if (!isRead(frame, rules)) return;
    for (const { key, offset } of decodeRecords(plainFrame(frame, gzipOnly)))
      if (key !== null && offset < coveredEnd) latest.put(key, 0, key.length, offset);
  });
  const producers = new ProducerTails((producerId) => state.get(producerId), coveredEnd);
  const retention = new BatchRetention({
    ...{
      latest,
      coveredEnd,
      copiedEnd: Number.POSITIVE_INFINITY,
      transactions,
      producers,
      nowMs: 1000,
      deleteRetentionMs: 100,
      frameBytesMax: 4096,
    },
    ...rules,
  });
  const kept = frames.map((frame) => retention.retained(frame, readBatchHeader(frame)));
  for (const frame of kept) {
    if (frame === null || !isRead(frame, rules)) continue;
    expect(frameProblem(frame, 0, rules.frameBytesMax ?? 4096)).toBeNull();
    expect(storedRecordsProblem(plainFrame(frame, gzipOnly))).toBeNull();
  }
  return { kept, counts: retention.counts };
}

function isRead(frame: Buffer, { compression }: Partial<RetentionRules>): boolean {
  return compression !== undefined || readBatchHeader(frame).codec === "none";
}

/** `offset key=value` of what stayed, `null` for a gap. */
export function shown(kept: readonly (Buffer | null)[]): (string[] | null)[] {
  return kept.map(
    (frame) =>
      frame &&
      decodeRecords(plainFrame(frame, gzipOnly)).map(({ offset, key, value }) => `${offset} ${key}=${value}`),
  );
}

export const present = (frames: readonly (Buffer | null)[]) => frames.filter((frame) => frame !== null);
