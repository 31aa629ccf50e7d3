import { expect, test } from "vitest";
import { AssertionFailure, assert, unreachable } from "./assert.ts";
import { DiskError } from "./env/disk.ts";
import { BrokerError, storageError } from "./errors.ts";

test("a storage error names the file, and the position and what was expected where they are known", () => {
  const error = storageError("magic is 0", { file: "/d/0.log", position: 128, expected: "0x4d4b4231" });
  expect(error).toBeInstanceOf(BrokerError);
  expect(error.code).toBe("STORAGE_ERROR");
  expect(error.message).toBe("/d/0.log at position 128: magic is 0; expected 0x4d4b4231");
  expect(error.details).toEqual({ file: "/d/0.log", position: 128, expected: "0x4d4b4231" });
  expect(error.cause).toBeUndefined();
});

test("a storage error keeps the disk's refusal as its cause, and further facts as details", () => {
  const refusal = new DiskError("write", "/d/0.log", "ENOSPC");
  const error = storageError(refusal, { file: "/d/0.log", position: 0, details: { baseOffset: 7 } });
  expect(error.message).toBe(
    "/d/0.log at position 0: write of /d/0.log failed with ENOSPC: no space left on the device",
  );
  expect(error.cause).toBe(refusal);
  expect(error.details).toEqual({ file: "/d/0.log", position: 0, baseOffset: 7 });
});

test("a storage error says expected once, also when its problem does so already", () => {
  const error = storageError("CRC is 0x1, expected 0x2", { file: "/d/0.log", expected: "the whole batch" });
  expect(error.message).toBe("/d/0.log: CRC is 0x1, expected 0x2; needed is the whole batch");
});

test("an assertion that holds does nothing, and its message is made only when it doesn't", () => {
  assert(true, () => {
    throw new Error("made in vain");
  });
  expect(() => assert(0, () => "offset 7 is below 8")).toThrow(new AssertionFailure("offset 7 is below 8"));
  expect(() => assert(null, "nothing")).toThrow(AssertionFailure);
  expect(new AssertionFailure("x")).not.toBeInstanceOf(BrokerError);
});

test("a value outside its type stops the program and is named", () => {
  // @ts-expect-error A value that the types exclude is what this is about.
  expect(() => unreachable({ kind: "fourth" })).toThrow('a value outside its type: {"kind":"fourth"}');
});
