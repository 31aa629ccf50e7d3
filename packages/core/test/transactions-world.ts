/** What the tests of a log's transactions share: batches that are part of one, and markers. */
import { encodeBatch, encodeMarker } from "@minikafka/record";
import type { MemoryDisk } from "../src/env/memory-disk.ts";
import { openEnvelope, sealEnvelope } from "../src/log/files/checkpoint-envelope.ts";
import type { PartitionLog } from "../src/log/partition-log.ts";
import { FOLDER } from "./log-world.ts";

interface DataOptions {
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly transactional?: boolean;
  /** One for all records of the batch. */
  readonly key?: string | null;
}

/** The unassigned batch of a producer, part of its transaction unless `options` say otherwise. */
export function data(producerId: number, texts: readonly string[], options: DataOptions = {}): Buffer {
  const { producerEpoch = 0, baseSequence = 0, transactional = true, key = null } = options;
  const records = texts.map((text) => ({
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(text),
    timestampMs: 5,
    headers: [],
  }));
  return encodeBatch({ records, producerId, producerEpoch, baseSequence, transactional });
}

/** The unassigned marker of a transaction that began at `firstOffset`. */
export function marker(
  producerId: number,
  control: "commit" | "abort",
  { firstOffset = 0, producerEpoch = 1 } = {},
): Buffer {
  return encodeMarker({
    ...{ producerId, producerEpoch, control, firstOffset },
    coordinatorEpoch: 0,
    timestampMs: 5,
  });
}

/** Ends a producer's open transaction, as a coordinator does: with the epoch that follows. */
export function endTransaction(log: PartitionLog, producerId: number, control: "commit" | "abort"): void {
  const open = log.openTransaction(producerId);
  if (open === undefined) throw new Error(`producer ${producerId} has no open transaction`);
  const { firstOffset, producerEpoch } = open;
  log.append(marker(producerId, control, { firstOffset, producerEpoch: producerEpoch + 1 }), 0);
}

/** What a log tells of its transactions. */
export function facts(log: PartitionLog) {
  return {
    open: log.openTransactions,
    unstable: log.firstUnstableOffset(0),
    aborted: log.abortedTransactions(log.logStartOffset, log.logEndOffset),
  };
}

/** The bytes of a checkpoint as an earlier program wrote it. */
export function asVersionOne(bytes: Buffer): Buffer {
  const envelope = openEnvelope(bytes);
  if ("problem" in envelope) throw new Error(envelope.problem);
  return sealEnvelope(1, envelope.payload);
}

export const txnIndexAt = (baseOffset: number) =>
  `${FOLDER}/${String(baseOffset).padStart(20, "0")}.txnindex`;
export const txnIndexesOn = (disk: MemoryDisk) =>
  [...disk.files().keys()].filter((path) => path.endsWith(".txnindex"));
