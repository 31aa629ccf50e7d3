import { expect, test } from "vitest";
import { HighWatermark, type NotedReplica, startingHighWatermark } from "./high-watermark.ts";

function replica(agreedEnd: number | null, checkpoint: number | null, isInSync = true): NotedReplica {
  return { agreedEnd, checkpoint, isInSync };
}

const EXACT = { isNoted: true, isExact: true };
const UNSURE = { isNoted: true, isExact: false };

test("with the note that a leader left at a clean end it is what was noted, however far the logs agree", () => {
  expect(startingHighWatermark([replica(9, 5), replica(9, 4), replica(9, null)], EXACT)).toBe(5);
});

test("otherwise it is where those in sync agree, or what was noted if that is more", () => {
  expect(startingHighWatermark([replica(9, 5), replica(8, 4)], UNSURE)).toBe(8);
  expect(startingHighWatermark([replica(9, 5), replica(3, 0)], UNSURE)).toBe(5);
});

test("a note of a replica whose log is gone counts, and one that is out of sync says nothing", () => {
  expect(startingHighWatermark([replica(null, 5), replica(9, 0)], EXACT)).toBe(5);
  expect(startingHighWatermark([replica(9, 5), replica(2, 8, false)], EXACT)).toBe(5);
});

test("nothing is said to be visible that no replica has", () => {
  expect(startingHighWatermark([replica(4, 7), replica(3, null)], EXACT)).toBe(4);
  expect(startingHighWatermark([replica(null, 7)], EXACT)).toBe(0);
});

test("without notes, those in sync say it; under the dial all replicas do, also those that lag", () => {
  expect(startingHighWatermark([replica(9, null), replica(7, null), replica(1, null, false)], EXACT)).toBe(7);
  const dial = { isNoted: false, isExact: true };
  expect(startingHighWatermark([replica(9, 9), replica(7, 7), replica(1, 1, false)], dial)).toBe(1);
});

test("it falls back only when somebody says so", () => {
  const highWatermark = new HighWatermark(5);
  highWatermark.fallBack(3);
  expect(highWatermark.value).toBe(3);
  expect(() => highWatermark.fallBack(4)).toThrow("4 is no way back");
});
