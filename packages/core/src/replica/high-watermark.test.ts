import { expect, test } from "vitest";
import { HighWatermark, highWatermarkOf } from "./high-watermark.ts";
import { requireLeaderEpoch } from "./leader-epoch.ts";

test("the high watermark is the least log end offset in sync", () => {
  expect(highWatermarkOf([7])).toBe(7);
  expect(highWatermarkOf([7, 3, 5])).toBe(3);
});

test("the high watermark moves on and never back", () => {
  const highWatermark = new HighWatermark(3);
  expect(highWatermark.advance(3)).toBe(false);
  expect(highWatermark.advance(5)).toBe(true);
  expect(highWatermark.value).toBe(5);
  expect(() => highWatermark.advance(4)).toThrow("stands at 5 and cannot go back to 4");
});

test("a listener that comes or goes while others are told counts from the next time on", () => {
  const highWatermark = new HighWatermark(0);
  const told: string[] = [];
  const endFirst = highWatermark.listen(() => {
    told.push("first");
    endFirst();
    highWatermark.listen(() => told.push("late"));
  });
  highWatermark.listen(() => told.push("second"));
  highWatermark.tell();
  expect(told).toEqual(["first", "second"]);
  highWatermark.tellAndForget();
  expect(told).toEqual(["first", "second", "second", "late"]);
  highWatermark.tell();
  expect(told).toHaveLength(4);
});

test("an older and a newer leader epoch are both fenced, each with its own sentence", () => {
  requireLeaderEpoch(4, 4);
  expect(() => requireLeaderEpoch(3, 4)).toThrow(
    expect.objectContaining({
      code: "FENCED_LEADER_EPOCH",
      message: "the leader epoch 3 is over; the present one is 4",
      details: { requested: 3, leader_epoch: 4 },
    }),
  );
  expect(() => requireLeaderEpoch(5, 4)).toThrow(
    "the leader epoch 5 is newer than 4, the newest that this broker knows of",
  );
});
