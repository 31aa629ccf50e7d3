import { describe, expect, test } from "vitest";
import { type CoordinatorRecord, MalformedRecord, readRecord } from "../coordinator/coordinator-record.ts";
import { SeededRandom } from "../env/random.ts";
import { type OffsetEntry, offsetRecord, readOffsetRecord } from "./offset-record.ts";
import { readOffsetText } from "./offset-text.ts";

const same = (text: string) => text;

function textOf({ key, value }: CoordinatorRecord): [key: string, value: string | null] {
  return [JSON.stringify(key), value === null ? null : JSON.stringify(value)];
}

const ENTRY: OffsetEntry = {
  ...{ groupId: "billing", topic: "orders", partition: 3 },
  stored: { offset: 17, metadata: null, committedMs: 1_700_000_000_000, topicId: "A" },
};

describe("the text of an offset's record", () => {
  test("is read in the shorter way when it is as the broker writes it", () => {
    expect(readOffsetText(...textOf(offsetRecord(ENTRY)), same)).toEqual(ENTRY);
    expect(readOffsetText(...textOf(offsetRecord({ ...ENTRY, stored: null })), same)).toEqual({
      ...ENTRY,
      stored: null,
    });
  });

  test("says the same both ways, whatever the names are, and comes back as it was written", () => {
    const random = new SeededRandom(7);
    const characters = [
      "a",
      "Z",
      "9",
      ".",
      " ",
      '"',
      "\\",
      "\n",
      "\u0000",
      "\u007f",
      "é",
      "\u{1f418}",
      "\ud83d",
      "{",
      "}",
      ",",
    ];
    const name = () =>
      Array.from({ length: random.below(9) }, () => characters[random.below(characters.length)]).join("");
    let shorter = 0;
    for (let round = 0; round < 2000; round += 1) {
      const stored = {
        offset: random.below(2) === 0 ? random.below(1000) : Number.MAX_SAFE_INTEGER - random.below(9),
        metadata: random.below(3) === 0 ? name() : null,
        committedMs: random.below(1_000_000),
        topicId: name(),
      };
      const entry = {
        groupId: name(),
        topic: name(),
        partition: random.below(1000),
        stored: random.below(5) === 0 ? null : stored,
      };
      const text = textOf(offsetRecord(entry));
      expect(readOffsetRecord(readRecord(...text), same)).toEqual(entry);
      const quick = readOffsetText(...text, same);
      if (quick === null) continue;
      expect(quick).toEqual(entry);
      shorter += 1;
    }
    expect(shorter).toBeGreaterThan(30);
  });

  test("is never taken for an offset in the shorter way when JSON would refuse it", () => {
    const random = new SeededRandom(8);
    const [key, value = ""] = textOf(offsetRecord(ENTRY));
    let damaged = 0;
    for (let round = 0; round < 3000; round += 1) {
      const text = random.below(2) === 0 ? key : (value ?? "");
      const at = random.below(text.length);
      const character = String.fromCharCode(random.below(128));
      const cut = random.below(2);
      const harmed = text.slice(0, at) + character + text.slice(at + cut);
      const pair: [string, string | null] = text === key ? [harmed, value] : [key, harmed];
      const quick = readOffsetText(...pair, same);
      if (quick === null) continue;
      expect(byJson(pair)).toEqual(quick);
      damaged += 1;
    }
    expect(damaged).toBeGreaterThan(50);
  });
});

function byJson(pair: [string, string | null]): OffsetEntry | string {
  try {
    return readOffsetRecord(readRecord(...pair), same);
  } catch (problem) {
    if (!(problem instanceof MalformedRecord)) throw problem;
    return problem.message;
  }
}
