import { assignBatch, type BatchHeader, encodeBatch, readBatchHeader } from "@minikafka/record";
import { expect, test } from "vitest";
import { ProducerState } from "../log/producers/producer-state.ts";
import { requireInSequence } from "./sequence-check.ts";

const LAST = 2 ** 31 - 1;

interface Sent {
  readonly epoch?: number;
  readonly sequence: number;
  readonly values?: readonly string[];
}

function header({ epoch = 0, sequence, values = ["paid"] }: Sent, baseOffset = 0): BatchHeader {
  const records = values.map((value) => ({
    key: null,
    value: Buffer.from(value),
    timestampMs: 5,
    headers: [],
  }));
  const frame = encodeBatch({ records, producerId: 7, producerEpoch: epoch, baseSequence: sequence });
  assignBatch(frame, { baseOffset, leaderEpoch: 0 });
  return readBatchHeader(frame);
}

/** A log that took `sent`, one after another. */
function logOf(...sent: readonly Sent[]): ProducerState {
  const state = new ProducerState();
  let offset = 100;
  for (const each of sent) {
    const batch = header(each, offset);
    state.note(batch, 0);
    offset = batch.nextOffset;
  }
  return state;
}

function verdict(state: ProducerState, sent: Sent, window = 5, holds?: () => boolean): unknown {
  try {
    return requireInSequence(header(sent), state.get(7), window, holds);
  } catch (problem) {
    return problem;
  }
}

const three = [
  { sequence: 0, values: ["a", "b"] },
  { sequence: 2 },
  { sequence: 3, values: ["c", "d", "e"] },
];

test("the next sequence may be appended, a gap or a step back is out of order with both numbers", () => {
  const state = logOf(...three);
  expect(verdict(state, { sequence: 6 })).toBeNull();
  for (const sequence of [7, 100, 1, 4, 5, LAST]) {
    expect(verdict(state, { sequence })).toMatchObject({
      code: "OUT_OF_ORDER_SEQUENCE",
      details: { expected: 6, actual: sequence, producer_id: 7, producer_epoch: 0 },
    });
  }
});

test("an exact retry of any batch in the window tells where the first one went", () => {
  const state = logOf(...three);
  expect(verdict(state, { sequence: 0, values: ["a", "b"] })).toMatchObject({
    baseOffset: 100,
    nextOffset: 102,
  });
  expect(verdict(state, { sequence: 2 })).toMatchObject({ baseOffset: 102, nextOffset: 103 });
  expect(verdict(state, { sequence: 3, values: ["c", "d", "e"] })).toMatchObject({ baseOffset: 103 });
});

test("a retry behind the window is out of order: with a window of one, all but the last batch", () => {
  const state = logOf(...three);
  expect(verdict(state, { sequence: 3, values: ["c", "d", "e"] }, 1)).toMatchObject({ baseOffset: 103 });
  expect(verdict(state, { sequence: 2 }, 1)).toMatchObject({ code: "OUT_OF_ORDER_SEQUENCE" });
  const seven = logOf(...Array.from({ length: 7 }, (_, sequence) => ({ sequence })));
  expect([0, 1, 2, 3, 4, 5, 6].map((sequence) => verdict(seven, { sequence }))).toEqual([
    expect.objectContaining({ code: "OUT_OF_ORDER_SEQUENCE" }),
    expect.objectContaining({ code: "OUT_OF_ORDER_SEQUENCE" }),
    ...[102, 103, 104, 105, 106].map((baseOffset) => expect.objectContaining({ baseOffset })),
  ]);
});

test("a sequence that had other records is refused, never answered as a success", () => {
  const state = logOf(...three);
  expect(verdict(state, { sequence: 2, values: ["other"] })).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
    message:
      "producer id 7 sent sequences 2 to 2, which offsets 102 to 102 have with other records; expected 6 next",
    details: { expected: 6, actual: 2 },
  });
  expect(verdict(state, { sequence: 0, values: ["a"] })).toMatchObject({ code: "OUT_OF_ORDER_SEQUENCE" });
});

test("other bytes of the same sequences are a retry where they are found to hold the same; other sequences never are", () => {
  const state = logOf(...three);
  const judged = (sent: Sent) => verdict(state, sent, 5, () => true);
  expect(judged({ sequence: 2, values: ["other"] })).toMatchObject({ baseOffset: 102, nextOffset: 103 });
  expect(judged({ sequence: 2, values: ["other", "more"] })).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
    message: "producer id 7 sent sequences 2 to 3; expected 6 next",
  });
  expect(judged({ epoch: 1, sequence: 2, values: ["other"] })).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
  });
  expect(judged({ sequence: 6 })).toBeNull();
});

test("a newer epoch begins at 0 and ends the older one", () => {
  const state = logOf(...three);
  expect(verdict(state, { epoch: 1, sequence: 0 })).toBeNull();
  expect(verdict(state, { epoch: 1, sequence: 6 })).toMatchObject({
    code: "OUT_OF_ORDER_SEQUENCE",
    details: { expected: 0, actual: 6 },
  });
  state.note(header({ epoch: 1, sequence: 0 }, 106), 0);
  expect(verdict(state, { epoch: 0, sequence: 6 })).toMatchObject({
    code: "PRODUCER_FENCED",
    details: { producer_epoch: 0, current_epoch: 1 },
  });
  expect(verdict(state, { epoch: 0, sequence: 2 })).toMatchObject({ code: "PRODUCER_FENCED" });
  expect(verdict(state, { epoch: 1, sequence: 1 })).toBeNull();
});

test("a producer that the log does not know may begin anywhere", () => {
  for (const sequence of [0, 5, LAST]) expect(verdict(new ProducerState(), { sequence })).toBeNull();
});

test("0 follows the last sequence, between two batches and within one", () => {
  const between = logOf({ sequence: LAST - 1, values: ["a", "b"] });
  expect(verdict(between, { sequence: 0 })).toBeNull();
  expect(verdict(between, { sequence: LAST - 1, values: ["a", "b"] })).toMatchObject({ baseOffset: 100 });
  const within = logOf({ sequence: LAST, values: ["a", "b", "c"] });
  expect(verdict(within, { sequence: 2 })).toBeNull();
  expect(verdict(within, { sequence: 1 })).toMatchObject({ details: { expected: 2, actual: 1 } });
  expect(verdict(within, { sequence: LAST, values: ["a", "b", "c"] })).toMatchObject({ baseOffset: 100 });
});
