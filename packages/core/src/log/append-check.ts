/** What must be true of a batch when it reaches the log; whoever hands it over has checked its bytes. */
import {
  assignBatch,
  type BatchHeader,
  type BatchPlace,
  HEADER_BYTES,
  readBatchHeader,
} from "@minikafka/record";
import { assert } from "../assert.ts";

/** Gives `frame` its place, and returns its header. What recovery would not take back must not be written. */
export function assignedFrame(
  frame: Buffer,
  place: BatchPlace,
  { frameBytesMax }: { readonly frameBytesMax: number },
): BatchHeader {
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
