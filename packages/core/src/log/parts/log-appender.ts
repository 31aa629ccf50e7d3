/**
 * How a batch gets into a log: its place, a segment with room for it, one write.
 *
 * Invariants: a batch is whole in the file before anybody hears of it; what a failed write left is cut off, and durably, before
 * anything else is written or anybody leads from that end. If even that fails, the log goes off line: what follows the remains
 * could never be found. Where the file could not so much as be opened, for want of descriptors, there are no remains.
 * Never: waiting for the disk, but for a cut of such remains; a batch given an offset that another one got.
 */
import {
  assignBatch,
  type BatchHeader,
  type BatchPlace,
  HEADER_BYTES,
  readBatchHeader,
} from "@minikafka/record";
import { assert } from "../../assert.ts";
import { DiskError, isOutOfDescriptors } from "../../env/disk.ts";
import type { LogContext } from "../context/log-context.ts";
import type { LogState } from "../context/log-state.ts";
import { continuing, requireFollowing, requireNotOlder } from "../frames/follower-frames.ts";
import type { LeaderEpochs } from "../manifest/leader-epochs.ts";
import { Segment } from "../segment/segment.ts";
import { emptyExtent } from "../segment/segment-extent.ts";
import type { SegmentList } from "../segment/segment-list.ts";
import { hasRoomBehind, isTooLate } from "../segment/segment-room.ts";
import { markCut, unmarkCut } from "./cut-mark.ts";
import type { LogProducers } from "./log-producers.ts";
import { isFailedSync } from "./sync-doubt.ts";
import type { SyncFailure } from "./sync-failure.ts";

export interface AppenderParts {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly state: LogState;
  readonly epochs: LeaderEpochs;
  readonly producers: LogProducers;
  readonly failure: SyncFailure;
  /** Told of each file that is made in the folder, as its name has still to become durable. */
  readonly onNewFile: () => void;
}

export interface AppendedBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
}

export class LogAppender {
  readonly #context: LogContext;
  readonly #segments: SegmentList;
  readonly #state: LogState;
  readonly #epochs: LeaderEpochs;
  readonly #producers: LogProducers;
  readonly #failure: SyncFailure;
  readonly #onNewFile: () => void;

  constructor({ context, segments, state, epochs, producers, failure, onNewFile }: AppenderParts) {
    this.#context = context;
    this.#segments = segments;
    this.#state = state;
    this.#epochs = epochs;
    this.#producers = producers;
    this.#failure = failure;
    this.#onNewFile = onNewFile;
  }

  /** See PartitionLog.append. Throws FENCED_LEADER_EPOCH, STORAGE_ERROR, DiskError. */
  append(frame: Buffer, leaderEpoch: number): AppendedBatch {
    const place = { baseOffset: this.#segments.active.nextOffset, leaderEpoch };
    requireNotOlder(leaderEpoch, this.#epochs.latest?.leaderEpoch ?? 0, place.baseOffset);
    const header = assignedFrame(frame, place, this.#context.frameBytesMax);
    const { baseOffset, nextOffset } = header;
    if (!this.#fits(header)) this.#roll();
    this.#write(frame, [header]);
    return { baseOffset, nextOffset };
  }

  /** See PartitionLog.appendAsFollower. Throws as it says, and DiskError. */
  appendAsFollower(fetched: Buffer): AppendedBatch {
    const { nextOffset: baseOffset } = this.#segments.active;
    const leaderEpoch = this.#epochs.latest?.leaderEpoch ?? -1;
    const { frameBytesMax } = this.#context;
    const frames = continuing(fetched, { logEndOffset: baseOffset, frameBytesMax });
    let rest = requireFollowing(frames, { logEndOffset: baseOffset, leaderEpoch, frameBytesMax });
    for (let position = 0; rest.length > 0; ) {
      const run = this.#fitting(rest);
      const end = position + run.reduce((sum, { frameBytes }) => sum + frameBytes, 0);
      this.#write(frames.subarray(position, end), run);
      position = end;
      rest = rest.slice(run.length);
    }
    return { baseOffset, nextOffset: this.#segments.active.nextOffset };
  }

  /** Those of `headers` that go into one segment, which is the active one then. At least the first does. */
  #fitting(headers: readonly BatchHeader[]): BatchHeader[] {
    const [first] = headers;
    if (first !== undefined && !this.#fits(first)) this.#roll();
    const { active } = this.#segments;
    const { segmentBytes, segmentMs } = this.#context.config;
    let addedBytes = 0;
    const end = headers.findIndex(({ frameBytes, nextOffset, maxTimestampMs }, place) => {
      addedBytes += frameBytes;
      if (place === 0 || first === undefined) return false;
      const firstTimestampMs = active.sizeBytes === 0 ? first.maxTimestampMs : active.firstTimestampMs;
      return (
        isTooLate(maxTimestampMs, firstTimestampMs, segmentMs) ||
        !hasRoomBehind(active, { addedBytes, nextOffset }, segmentBytes)
      );
    });
    return headers.slice(0, end === -1 ? headers.length : end);
  }

  #fits({ frameBytes, nextOffset, maxTimestampMs }: BatchHeader): boolean {
    const { active } = this.#segments;
    // The first of a segment always has room.
    if (active.sizeBytes === 0) return true;
    const { segmentBytes, segmentMs } = this.#context.config;
    return (
      hasRoomBehind(active, { addedBytes: frameBytes, nextOffset }, segmentBytes) &&
      !isTooLate(maxTimestampMs, active.firstTimestampMs, segmentMs)
    );
  }

  /** Begins a new segment, unless the active one is empty: then nothing is done. Throws STORAGE_ERROR, DiskError. */
  roll(): boolean {
    if (this.#segments.active.sizeBytes === 0) return false;
    this.#roll();
    return true;
  }

  /** The same when the active segment's first batch is older than segment.ms at `nowMs`. */
  rollByAge(nowMs: number): boolean {
    return this.isPastAge(nowMs) && this.roll();
  }

  /** Whether it is. An empty one is not. */
  isPastAge(nowMs: number): boolean {
    const { firstTimestampMs } = this.#segments.active;
    return isTooLate(nowMs, firstTimestampMs, this.#context.config.segmentMs);
  }

  /** Begins a new segment. Nothing is waited for: a flush makes it durable and seals the old one. */
  #roll(): void {
    const { env, place } = this.#context;
    const before = this.#segments.active;
    const baseOffset = before.nextOffset;
    const segment = new Segment(this.#context, emptyExtent(baseOffset));
    env.faults.hit("log.roll.before_create", place);
    segment.create();
    this.#onNewFile();
    try {
      env.faults.hit("log.roll.after_create", place);
    } catch (problem) {
      if (problem instanceof DiskError) segment.discard();
      throw problem;
    }
    this.#segments.push(segment);
    env.trace({
      kind: "rolled",
      ...place,
      segmentBaseOffset: baseOffset,
      sealedBaseOffset: before.baseOffset,
      sealedBytes: before.sizeBytes,
    });
  }

  #write(frames: Buffer, headers: readonly BatchHeader[]): void {
    const { active } = this.#segments;
    let position = active.sizeBytes;
    try {
      active.append(frames, headers);
    } catch (problem) {
      if (problem instanceof DiskError && !wroteNothing(problem)) this.#undo(active, problem);
      throw problem;
    }
    for (const header of headers) {
      const { baseOffset, nextOffset, leaderEpoch, frameBytes: bytes } = header;
      this.#epochs.begin(leaderEpoch, baseOffset);
      this.#producers.note(header);
      const facts = { baseOffset, nextOffset, bytes, segmentBaseOffset: active.baseOffset, position };
      this.#context.env.trace({ kind: "appended", ...this.#context.place, ...facts });
      position += bytes;
    }
  }

  /**
   * A failed write may have left a part of the batch, or all of it. If that can't be taken back, what follows it could not be found.
   * And a power cut must not bring it back: the log would hold a batch that its replica never had, where it has begun to lead or
   * has written another one of the same epoch. Throws BROKER_FAILED where the sync of that fails.
   */
  #undo(segment: Segment, problem: DiskError): void {
    const { env, place } = this.#context;
    const [logEndOffset, position] = [segment.nextOffset, segment.sizeBytes];
    try {
      env.faults.hit("log.append.before_undo", place);
      if (!segment.isExact) this.#cutRemains(segment);
    } catch (second) {
      if (!(second instanceof DiskError)) throw second;
      this.#state.goOffline(
        `${segment.path} at position ${position}: ${problem.message}, and ${second.message}`,
      );
      return;
    }
    env.trace({ kind: "append_undone", ...place, logEndOffset, position, problem: problem.message });
  }

  /** Throws DiskError, BROKER_FAILED. */
  #cutRemains(segment: Segment): void {
    markCut(this.#context);
    segment.cutBack();
    try {
      segment.syncNow();
    } catch (problem) {
      throw isFailedSync(problem) ? this.#failure.ofSync(problem) : problem;
    }
    unmarkCut(this.#context);
  }
}

/** The file is opened with its first use, and was not. */
function wroteNothing(problem: DiskError): boolean {
  return problem.operation === "open" && isOutOfDescriptors(problem);
}

/** Gives `frame` its place, and returns its header. What recovery would not take back must not be written. */
function assignedFrame(frame: Buffer, place: BatchPlace, frameBytesMax: number): BatchHeader {
  const { length } = frame;
  assert(
    length >= HEADER_BYTES && length <= frameBytesMax,
    `a batch has ${length} bytes, expected ${HEADER_BYTES} to ${frameBytesMax}`,
  );
  assert(Number.isInteger(place.leaderEpoch), `a leader epoch is not ${place.leaderEpoch}`);
  assignBatch(frame, place);
  const header = readBatchHeader(frame);
  assert(header.frameBytes === length, `the batch says ${header.frameBytes} bytes, and has ${length}`);
  assert(
    header.lastOffsetDelta >= 0 && Number.isSafeInteger(header.nextOffset),
    `a batch at ${header.baseOffset} cannot end at ${header.nextOffset}`,
  );
  return header;
}
