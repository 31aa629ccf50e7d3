import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRecord } from "../coordinator/coordinator-record.ts";
import { offsetRecord, readOffsetRecord } from "./offset-record.ts";

const ENTRY = {
  ...{ groupId: "billing", topic: "orders", partition: 3 },
  stored: {
    offset: 17,
    metadata: null,
    committedMs: 1_700_000_000_000,
    topicId: "4c1f6a0e-6d0a-4d55-8f53-3c3c1b6c2d10",
  },
};

test("an offset's record is the one that FORMAT.md shows, byte by byte, and is read back from it", () => {
  const page = readFileSync(new URL("FORMAT.md", import.meta.url), "utf8");
  const [, key = "", value = ""] = /^key {4}(\{"kind":"offset".*\})\nvalue {2}(\{.*\})$/m.exec(page) ?? [];
  const record = offsetRecord(ENTRY);
  expect([JSON.stringify(record.key), JSON.stringify(record.value)]).toEqual([key, value]);
  expect(readOffsetRecord(readRecord(key, value), (text) => text)).toEqual(ENTRY);
});
