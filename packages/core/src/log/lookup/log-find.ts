/**
 * Where an offset or a time lies in a log's files, and the way to it: for who wants to see how a read or a search goes.
 *
 * Never: an answer where the log would give another one; damage as an error, since it is a part of what is to be seen.
 */
import { type BatchHeader, decodeRecords, frameProblem, type StoredRecord } from "@minikafka/record";
import { BrokerError } from "../../errors.ts";
import { type LookedInto, lookInto } from "../frames/unpacked.ts";
import type { LocatedBatch, LookupLog, LookupStep } from "../segment/lookup.ts";
import { findOffset } from "./offset-search.ts";
import { findTimestamp, type OffsetRange } from "./timestamp-search.ts";

/** An offset, or the first record of a time or later. */
export type SoughtPlace = { readonly offset: number } | { readonly timestampMs: number };

export interface FoundBatch {
  readonly segmentBaseOffset: number;
  readonly position: number;
  readonly header: BatchHeader;
  /** What is wrong with it, in words; `null` for a sound one. */
  readonly problem: string | null;
}

export interface FoundRecord {
  readonly offset: number;
  readonly timestampMs: number;
  /** Its place among the records of the batch, from 0. */
  readonly place: number;
}

export interface LogDamage {
  readonly file: string;
  readonly segmentBaseOffset: number;
  readonly position: number;
  readonly problem: string;
}

export interface LogFind {
  /** In the order in which they were taken. */
  readonly steps: readonly LookupStep[];
  /** The one that holds what is sought; `null` when nothing does, or damage was in the way. */
  readonly batch: FoundBatch | null;
  /** `null` besides when compaction has removed it, or its batch is damaged, or compressed and nothing here reads its codec. */
  readonly record: FoundRecord | null;
  /** What the search could not pass. */
  readonly damage: LogDamage | null;
}

/** `range` is what may be read. `steps` may have begun. Throws OFFSET_OUT_OF_RANGE, DiskError. */
export function findInLog(
  log: LookupLog,
  sought: SoughtPlace,
  range: OffsetRange,
  steps: LookupStep[] = [],
): LogFind {
  if ("offset" in sought) requireWithin(sought.offset, range);
  try {
    return "offset" in sought
      ? offsetFound(findOffset(log, sought.offset, steps), sought.offset, steps)
      : timestampFound(log, sought.timestampMs, range, steps);
  } catch (problem) {
    const met = damageOf(log, problem);
    if (met === null) throw problem;
    return { steps, batch: null, record: null, damage: met };
  }
}

function requireWithin(offset: number, { startOffset, endOffset }: OffsetRange): void {
  if (offset >= startOffset && offset < endOffset) return;
  const expected =
    endOffset === startOffset ? "the log is empty" : `expected ${startOffset} to ${endOffset - 1}`;
  const details = { offset, log_start_offset: startOffset, log_end_offset: endOffset };
  throw new BrokerError("OFFSET_OUT_OF_RANGE", `offset ${offset} is not in the log; ${expected}`, details);
}

function offsetFound(batch: LocatedBatch, offset: number, steps: LookupStep[]): LogFind {
  const bytes = batch.segment.bytesOf(batch);
  const { plain, problem } = lookAt(bytes, batch);
  const records = plain === null ? [] : decodeRecords(plain);
  return { steps, batch: foundBatch(batch, problem), record: recordAt(records, offset), damage: null };
}

function timestampFound(
  log: LookupLog,
  timestampMs: number,
  range: OffsetRange,
  steps: LookupStep[],
): LogFind {
  const found = findTimestamp(log, timestampMs, range, steps);
  if (found === null) return { steps, batch: null, record: null, damage: null };
  const { offset, timestampMs: foundMs, place } = found;
  const record = { offset, timestampMs: foundMs, place };
  return { steps, batch: foundBatch(found.batch, null), record, damage: null };
}

function recordAt(records: readonly StoredRecord[], offset: number): FoundRecord | null {
  const place = records.findIndex((record) => record.offset === offset);
  const record = records[place];
  return record === undefined ? null : { offset, timestampMs: record.timestampMs, place };
}

function foundBatch({ segment, position, header }: LocatedBatch, problem: string | null): FoundBatch {
  return { segmentBaseOffset: segment.baseOffset, position, header, problem };
}

function lookAt(bytes: Buffer, { header, segment }: LocatedBatch): LookedInto {
  const problem = frameProblem(bytes, 0, Math.max(bytes.length, header.frameBytes));
  return problem === null ? lookInto(bytes, segment.compression) : { plain: null, problem };
}

/** The damage that a search ended at, or `null` when something else happened. */
function damageOf(log: LookupLog, problem: unknown): LogDamage | null {
  if (!(problem instanceof BrokerError) || problem.code !== "STORAGE_ERROR") return null;
  const { file, position } = problem.details;
  const segment = log.all().find(({ path }) => path === file);
  if (segment === undefined || typeof position !== "number") return null;
  const { path, baseOffset: segmentBaseOffset } = segment;
  return { file: path, segmentBaseOffset, position, problem: problem.message };
}
