import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskError } from "@minikafka/core/log";
import { expect, onTestFinished, test } from "vitest";
import { JournalFile } from "./journal.ts";
import { stateProblem } from "./state-problem.ts";
import { takeLock } from "./transfer-lock.ts";

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: "open" });
}

test.each([
  ["ENOSPC", "make room on that disk"],
  ["EACCES", "--state names a folder that may be read and written to"],
  ["EROFS", "--state names a folder that may be written to"],
  ["EIO", "--state names another folder"],
])("what a disk refuses with %s is told with its place, and what helps", (code, hint) => {
  const refusals = [refusal(code), new DiskError("open", "/state/orders.jsonl.lock/lock", code)];
  for (const error of refusals)
    expect(stateProblem("/state", error)).toMatchObject({
      code: "STORAGE_ERROR",
      message: `the state of this transfer cannot be kept in /state: ${error.message}`,
      hint: expect.stringContaining(hint),
    });
});

test("a fault of the program is told as that", () => {
  const fault = new TypeError("x is undefined");
  expect(stateProblem("/state", fault)).toBe(fault);
});

test("a folder whose system takes no more is told by the lock, and by the state as well", async () => {
  const folder = mkdtempSync(join(tmpdir(), "minikafka-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // No name is so long.
  const place = join(folder, "x".repeat(300));
  await expect(takeLock(place)).rejects.toMatchObject({ code: "STORAGE_ERROR" });
  const identity = { cluster_id: "c", topic: "t", topic_id: "i" };
  const head = { minikafka_transfer: 1, source: identity, target: identity } as const;
  await expect(JournalFile.begin(place, { head, lines: [] })).rejects.toMatchObject({
    code: "STORAGE_ERROR",
  });
  expect(existsSync(place)).toBe(false);
  const full = () => Promise.reject(refusal("ENOSPC"));
  const file = join(folder, "t.jsonl");
  writeFileSync(file, "");
  await expect(JournalFile.begin(file, { head, lines: [] }, full)).rejects.toMatchObject({
    code: "STORAGE_ERROR",
  });
});
