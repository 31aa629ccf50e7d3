import { expect, test } from "vitest";
import { waitingText } from "./join-patience.ts";

test("a member that waits under a manual clock is told of the step that lets it in", () => {
  expect(waitingText("manual", "billing")).toMatch(
    /^waits to become a member of billing: .*step replicate __consumer_offsets/,
  );
  expect(waitingText("auto", "billing")).not.toContain("step");
});
