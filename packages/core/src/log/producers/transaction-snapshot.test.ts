import { expect, test } from "vitest";
import { formatTransactions, parseTransactions } from "./transaction-snapshot.ts";

const KNOWN = {
  open: [
    { producerId: 8, producerEpoch: 3, firstOffset: 12, nextOffset: 19 },
    { producerId: 7, producerEpoch: 0, firstOffset: 20, nextOffset: 21 },
  ],
  ended: [
    { producerId: 7, firstOffset: 4, lastOffset: 15 },
    { producerId: 9, firstOffset: 2, lastOffset: 16 },
  ],
  settledEnd: 11,
};
const OPEN = [
  [8, 3, 12, 19],
  [7, 0, 20, 21],
];
const ENDED = [
  [7, 4, 15],
  [9, 2, 16],
];
const good = { open: OPEN, ended: ENDED, settled_end: 11 };

test("what a snapshot says of transactions comes back as it went in, and none is said as none", () => {
  expect(formatTransactions(KNOWN)).toEqual(good);
  expect(parseTransactions(good, 21)).toEqual(KNOWN);
  const none = { open: [], ended: [], settledEnd: 0 };
  expect(parseTransactions(formatTransactions(none), 0)).toEqual(none);
});

test("one that does not say up to where it has dropped ended ones may have dropped all below the first that it has", () => {
  expect(parseTransactions({ open: OPEN, ended: ENDED }, 21).settledEnd).toBe(15);
  expect(parseTransactions({ open: [], ended: [] }, 21).settledEnd).toBe(21);
});

test.each([
  ["one that reaches behind the snapshot", { ...good, open: [[8, 3, 12, 22]] }],
  ["one that ends where it begins", { ...good, open: [[8, 3, 12, 12]] }],
  ["open ones that do not rise", { ...good, open: OPEN.toReversed() }],
  ["two open ones of a producer", { ...good, open: OPEN.map(([, ...rest]) => [7, ...rest]) }],
  ["a marker at the first offset", { ...good, ended: [[7, 15, 15]] }],
  ["ended ones that do not rise", { ...good, ended: ENDED.toReversed() }],
  ["one that ended where the snapshot does", { ...good, ended: [[7, 4, 21]] }],
  ["one that ended below it, though it is said to be settled", { ...good, settled_end: 16 }],
  ["a settled end behind the snapshot", { ...good, ended: [], settled_end: 22 }],
  ["an epoch that is none", { ...good, open: [[8, 2 ** 15, 12, 19]] }],
  ["a column too few", { ...good, open: [[8, 3, 12]] }],
  ["no open ones", { ended: [] }],
  ["no ended ones", { open: [] }],
  ["no object", []],
])("%s: is refused", (_what, value) => {
  expect(() => parseTransactions(value, 21)).toThrow();
});
