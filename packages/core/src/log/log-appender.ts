/**
 * How a batch gets into a log: its place, a segment with room for it, one write.
 *
 * Invariants: a batch is whole in the file before anybody hears of it; what a failed write left is cut off before anything
 * else is written. If even that fails, the log goes off line: what follows the remains could never be found.
 * Never: waiting for the disk; a batch given an offset that another one got.
 */
import {
  assignBatch,
  type BatchHeader,
  type BatchPlace,
  HEADER_BYTES,
  readBatchHeader,
} from "@minikafka/record";
import { assert } from "../assert.ts";
import { DiskError } from "../env/disk.ts";
import type { LogContext } from "./log-context.ts";
import type { LogState } from "./log-state.ts";
import { Segment } from "./segment.ts";
import { emptyExtent } from "./segment-extent.ts";
import type { SegmentList } from "./segment-list.ts";

export interface AppenderParts {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly state: LogState;
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
  readonly #onNewFile: () => void;

  constructor({ context, segments, state, onNewFile }: AppenderParts) {
    this.#context = context;
    this.#segments = segments;
    this.#state = state;
    this.#onNewFile = onNewFile;
  }

  /** See PartitionLog.append. Throws STORAGE_ERROR, DiskError. */
  append(frame: Buffer, leaderEpoch: number): AppendedBatch {
    const place = { baseOffset: this.#segments.active.nextOffset, leaderEpoch };
    const header = assignedFrame(frame, place, this.#context.frameBytesMax);
    const { baseOffset, nextOffset, frameBytes } = header;
    if (!this.#segments.active.hasRoomFor(frameBytes, nextOffset)) this.#roll();
    this.#write(frame, header);
    return { baseOffset, nextOffset };
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

  #write(frame: Buffer, header: BatchHeader): void {
    const { active } = this.#segments;
    const position = active.sizeBytes;
    try {
      active.append(frame, header);
    } catch (problem) {
      if (problem instanceof DiskError) this.#undo(active, problem);
      throw problem;
    }
    this.#context.env.trace({
      kind: "appended",
      ...this.#context.place,
      baseOffset: header.baseOffset,
      nextOffset: header.nextOffset,
      bytes: header.frameBytes,
      segmentBaseOffset: active.baseOffset,
      position,
    });
  }

  /** A failed write may have left a part of the batch. If that can't be taken back, what follows it could not be found. */
  #undo(segment: Segment, problem: DiskError): void {
    const { env, place } = this.#context;
    const [logEndOffset, position] = [segment.nextOffset, segment.sizeBytes];
    try {
      env.faults.hit("log.append.before_undo", place);
      segment.cutBack();
    } catch (second) {
      if (!(second instanceof DiskError)) throw second;
      this.#state.goOffline(
        `${segment.path} at position ${position}: ${problem.message}, and ${second.message}`,
      );
      return;
    }
    env.trace({ kind: "append_undone", ...place, logEndOffset, position, problem: problem.message });
  }
}

/** Gives `frame` its place, and returns its header. What recovery would not take back must not be written. */
function assignedFrame(frame: Buffer, place: BatchPlace, frameBytesMax: number): BatchHeader {
  const { length } = frame;
  assert(
    length >= HEADER_BYTES && length <= frameBytesMax,
    `a batch has ${length} bytes, expected ${HEADER_BYTES} to ${frameBytesMax}`,
  );
  assert(
    Number.isInteger(place.leaderEpoch) && place.leaderEpoch >= 0,
    `a leader epoch is not ${place.leaderEpoch}`,
  );
  assignBatch(frame, place);
  const header = readBatchHeader(frame);
  assert(header.frameBytes === length, `the batch says ${header.frameBytes} bytes, and has ${length}`);
  assert(
    header.lastOffsetDelta >= 0 && Number.isSafeInteger(header.nextOffset),
    `a batch at ${header.baseOffset} cannot end at ${header.nextOffset}`,
  );
  return header;
}
