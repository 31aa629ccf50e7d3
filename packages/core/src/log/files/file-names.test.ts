import { expect, test } from "vitest";
import {
  abortedIndexPath,
  indexPath,
  isLogFileName,
  isSegmentFileName,
  parseFileName,
  segmentPath,
  timeIndexPath,
} from "./file-names.ts";

test("a segment becomes a name of twenty digits and its generation, and comes back from it", () => {
  for (const baseOffset of [0, 7, 123_456, Number.MAX_SAFE_INTEGER]) {
    for (const generation of [0, 1, 23]) {
      const segment = segmentPath("/p", { baseOffset, generation }).slice("/p/".length);
      const index = indexPath("/p", { baseOffset, generation }).slice("/p/".length);
      expect(segment).toMatch(generation === 0 ? /^\d{20}\.log$/ : /^\d{20}-\d+\.log$/);
      expect(parseFileName(segment)).toEqual({ kind: "segment", baseOffset, generation });
      expect(parseFileName(index)).toEqual({ kind: "index", baseOffset, generation });
      const timeIndex = timeIndexPath("/p", { baseOffset, generation }).slice("/p/".length);
      expect(parseFileName(timeIndex)).toEqual({ kind: "time_index", baseOffset, generation });
      const abortedIndex = abortedIndexPath("/p", { baseOffset, generation }).slice("/p/".length);
      expect(parseFileName(abortedIndex)).toEqual({ kind: "aborted_index", baseOffset, generation });
    }
  }
});

test("names sort as their offsets do", () => {
  const paths = [5, 40, 300, 2000].map((baseOffset) => segmentPath("/p", { baseOffset, generation: 0 }));
  expect([...paths].sort()).toEqual(paths);
});

test("a name that no log gives is nobody's", () => {
  const foreign = [
    "0.log",
    "0000000000000000000.log",
    "000000000000000000000.log",
    "00000000000000000000.log~",
    "00000000000000000000.txt",
    "0000000000000000000x.log",
    "99999999999999999999.log",
    "00000000000000000000-0.log",
    "00000000000000000000-01.log",
    "00000000000000000000-.log",
    "00000000000000000000-9999999999999999.log",
    "manifest",
    "lost+found",
    "",
  ];
  for (const name of foreign) {
    expect(parseFileName(name)).toBeNull();
    expect(isLogFileName(name)).toBe(false);
  }
});

test("a log knows its own files by name", () => {
  expect(isSegmentFileName("00000000000000000000.log")).toBe(true);
  expect(isSegmentFileName("00000000000000000000.index")).toBe(false);
  for (const name of ["manifest.json", "manifest.json.tmp", "manifest.json.tmp-later", "cut-begun"])
    expect(isLogFileName(name)).toBe(true);
});
