import { describe, expect, it } from "vitest";
import { Recorder } from "./recorder.ts";

describe("a recorded history", () => {
  it("tells of each operation when it was asked and when it ended, in one order with what happened", () => {
    let nowMs = 5;
    const recorder = new Recorder(() => nowMs);
    const join = recorder.asked("join", "one", { groupId: "g", memberId: "one" });
    nowMs = 7;
    recorder.happened({ kind: "process_crashed", disk: "lost" });
    join.unknown("CONNECTION_LOST", 2);
    const { operations, happenings } = recorder;
    expect(operations).toEqual([
      {
        kind: "join",
        client: "one",
        order: 0,
        atMs: 5,
        asked: { groupId: "g", memberId: "one" },
        ended: { order: 2, atMs: 7, outcome: "unknown", attempts: 2, code: "CONNECTION_LOST", told: null },
      },
    ]);
    expect(happenings).toEqual([{ kind: "process_crashed", disk: "lost", order: 1, atMs: 7 }]);
  });

  it("has no operation that ends twice", () => {
    const recorder = new Recorder(() => 0);
    const leave = recorder.asked("leave", "one", { groupId: "g", memberId: "one" });
    leave.failed("UNKNOWN_MEMBER_ID");
    expect(() => leave.ok({})).toThrow("leave of one at 0 ended twice");
  });
});
