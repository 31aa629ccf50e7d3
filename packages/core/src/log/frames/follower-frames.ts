/**
 * What a follower takes from its leader: whole batches that have their offsets and epochs already, and go to the disk as
 * they are. Everything that the follower will vouch for is checked here.
 */
import { type BatchHeader, frameProblem, gapFrame, isGap, readBatchHeader } from "@minikafka/record";
import { BrokerError } from "../../errors.ts";
import { orderProblem } from "./frame-scan.ts";

export interface FollowedLog {
  readonly logEndOffset: number;
  /** Of the last batch; -1 when there is none. */
  readonly leaderEpoch: number;
  readonly frameBytesMax: number;
}

/**
 * The headers of `frames`, which must continue `log` and each other. Throws CORRUPT_BATCH for bytes that are no whole batch,
 * OFFSET_OUT_OF_RANGE for one that does not follow, FENCED_LEADER_EPOCH for one of an older leader than the last.
 */
export function requireFollowing(frames: Buffer, log: FollowedLog): BatchHeader[] {
  const headers: BatchHeader[] = [];
  let { logEndOffset: nextOffset, leaderEpoch } = log;
  for (let position = 0; position < frames.length; ) {
    const problem = frameProblem(frames, position, log.frameBytesMax);
    if (problem !== null)
      throw new BrokerError("CORRUPT_BATCH", `at byte ${position} of ${frames.length}: ${problem}`);
    const header = readBatchHeader(frames, position);
    const disorder = orderProblem(header, nextOffset);
    if (disorder !== null) {
      const details = { offset: header.baseOffset, log_end_offset: nextOffset };
      throw new BrokerError("OFFSET_OUT_OF_RANGE", disorder, details);
    }
    requireNotOlder(header.leaderEpoch, leaderEpoch, header.baseOffset);
    headers.push(header);
    position += header.frameBytes;
    ({ nextOffset, leaderEpoch } = header);
  }
  return headers;
}

/**
 * `frames` as they continue a log that ends at `logEndOffset`. A leader's compaction makes one gap of several batches, and a
 * follower that has some of them needs the rest of the gap. Everything else is returned as it is.
 */
export function continuing(
  frames: Buffer,
  { logEndOffset, frameBytesMax }: Pick<FollowedLog, "logEndOffset" | "frameBytesMax">,
): Buffer {
  if (frames.length === 0 || frameProblem(frames, 0, frameBytesMax) !== null) return frames;
  const header = readBatchHeader(frames);
  const { baseOffset, nextOffset, leaderEpoch, frameBytes } = header;
  if (!isGap(header) || baseOffset >= logEndOffset || nextOffset <= logEndOffset) return frames;
  const rest = gapFrame({ baseOffset: logEndOffset, nextOffset, leaderEpoch });
  return Buffer.concat([rest, frames.subarray(frameBytes)]);
}

/** Epochs never fall along a log. Throws FENCED_LEADER_EPOCH. */
export function requireNotOlder(leaderEpoch: number, lastEpoch: number, baseOffset: number): void {
  if (leaderEpoch >= lastEpoch && leaderEpoch >= 0) return;
  const message = `the batch of offset ${baseOffset} has leader epoch ${leaderEpoch}; expected ${Math.max(lastEpoch, 0)} or later, as of the batch before it`;
  throw new BrokerError("FENCED_LEADER_EPOCH", message, { requested: leaderEpoch, leader_epoch: lastEpoch });
}
