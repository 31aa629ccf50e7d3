import { expect, test } from "vitest";
import { CliError } from "../failure.ts";
import { refusedCommit } from "./carry-offsets.ts";

function refusal(name: string): CliError {
  return new CliError("KAFKA_REFUSED", `committing failed: ${name}`, { details: { kafka_error: name } });
}

test.each(["UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "STALE_MEMBER_EPOCH"])(
  "a commit that is refused with %s is of a group that has got members there since it was looked at",
  (name) => {
    expect(refusedCommit(refusal(name), "billing", "kafka://there:1")).toMatchObject({
      code: "GROUP_NOT_EMPTY",
      message: "group billing has members at kafka://there:1, which would move on meanwhile",
      hint: expect.stringContaining("the same command goes on"),
      details: { group_id: "billing" },
    });
  },
);

test("a commit that is refused for another reason is told as that", () => {
  const other = refusal("GROUP_AUTHORIZATION_FAILED");
  expect(refusedCommit(other, "billing", "kafka://there:1")).toBe(other);
});
