/** Whatever can go wrong with a transaction is seen by the judge of the explored crashes. */
import { expect, test } from "vitest";
import { type Asked, problemsOf, type Witnessed } from "./transaction-judge.ts";
import type { LogEntry, Observation, PartitionObservation } from "./transaction-observation.ts";

const ONE: Asked = {
  name: "one",
  sent: [
    { partition: "a-0", value: "one/1" },
    { partition: "b-0", value: "one/2" },
  ],
  offset: "a:0=5",
  end: "commit",
  answered: true,
};

const WITNESSED: Witnessed = { asked: [ONE], offsetsBefore: ["a:0=1"], cleaned: [] };

const data = (offset: number, ...values: string[]): LogEntry => ({
  offset,
  producerId: 7,
  producerEpoch: 0,
  kind: "data",
  values,
});
const marker = (offset: number, kind: "commit" | "abort" = "commit"): LogEntry => ({
  offset,
  producerId: 7,
  producerEpoch: 1,
  kind,
  values: [],
});

function partition(
  name: string,
  read: readonly string[],
  log: readonly LogEntry[],
  change: Partial<PartitionObservation> = {},
): PartitionObservation {
  const logEndOffset = log.length;
  return {
    name,
    read,
    log,
    lastStableOffset: logEndOffset,
    highWatermark: logEndOffset,
    logEndOffset,
    ...change,
  };
}

const A = partition("a-0", ["one/1"], [data(0, "one/1"), marker(1)]);
const B = partition("b-0", ["one/2"], [data(0, "one/2"), marker(1)]);
const OFFSETS = partition("__consumer_offsets-0", [], [data(0, "5"), marker(1)]);
const GOOD: Observation = { partitions: [A, B, OFFSETS], offsets: ["a:0=5"], ids: [] };

/** With one partition, or the offsets, seen otherwise. */
function seen(change: Partial<PartitionObservation> & { name: string }, offsets = GOOD.offsets): Observation {
  const partitions = GOOD.partitions.map((each) =>
    each.name === change.name ? { ...each, ...change } : each,
  );
  return { ...GOOD, partitions, offsets };
}

function problems(observation: Observation, asked: Partial<Asked> = {}, isOver = true): string[] {
  return problemsOf({ ...WITNESSED, asked: [{ ...ONE, ...asked }] }, observation, { isOver });
}

test("a transaction that is there as a whole is no problem, nor is one that is not there and was not answered", () => {
  expect(problems(GOOD)).toEqual([]);
  const aborted = (name: string, value: string) => partition(name, [], [data(0, value), marker(1, "abort")]);
  const partitions = [aborted("a-0", "one/1"), aborted("b-0", "one/2"), aborted("__consumer_offsets-0", "5")];
  const absent: Observation = { partitions, offsets: ["a:0=1"], ids: [] };
  expect(problems(absent, { answered: false })).toEqual([]);
  expect(problems(absent, { end: "abort" })).toEqual([]);
  expect(problems(absent)).toEqual(["one was answered as committed, and is not read"]);
});

const abortedIn = (name: string, value: string) => ({
  name,
  read: [],
  log: [data(0, value), marker(1, "abort")],
});

test.for<[promise: string, observation: Observation, asked: Partial<Asked>, expected: string]>([
  ["half of it is read", seen(abortedIn("b-0", "one/2")), {}, "one is torn: 1 of 2 records are read"],
  ["nobody committed it", GOOD, { end: "none" }, "one is read, and nobody committed it: none"],
  ["it was aborted", GOOD, { end: "abort" }, "one is read, and nobody committed it: abort"],
  ["a record is read twice", seen({ ...A, read: ["one/1", "one/1"] }), {}, "a-0 reads one/1,one/1"],
  ["a record of nobody is read", seen({ ...A, read: ["one/1", "x"] }), {}, "a-0 reads one/1,x"],
  ["its offset is missing", seen(A, ["a:0=1"]), {}, "the group is at a:0=1; expected a:0=5"],
  [
    "a marker is missing",
    seen({ ...OFFSETS, log: [data(0, "5")] }),
    {},
    "the transaction 7:0 in __consumer_offsets-0 has no marker",
  ],
  [
    "a marker is there twice",
    seen({ ...A, log: [...A.log, marker(2)] }),
    {},
    "the transaction 7:0 in a-0 has a second marker at 2",
  ],
  [
    "a marker is where it wrote nothing",
    seen({ ...OFFSETS, log: [marker(0)] }),
    {},
    "the transaction 7:0 in __consumer_offsets-0 has a marker at 0, and wrote nothing",
  ],
  [
    "the markers differ",
    seen({ ...OFFSETS, log: [data(0, "5"), marker(1, "abort")] }),
    {},
    "the transaction 7:0 in __consumer_offsets-0 has abort, elsewhere commit",
  ],
  [
    "it goes on behind its marker",
    seen({ ...A, log: [...A.log, data(2, "late")] }),
    {},
    "the transaction 7:0 in a-0 goes on at 2, behind its marker",
  ],
  ["readers are stuck", seen({ ...B, lastStableOffset: 1 }), {}, "b-0 is stable up to 1 of 2 of 2"],
  ["the mark is stuck", seen({ ...B, highWatermark: 1 }), {}, "b-0 is stable up to 2 of 1 of 2"],
])("it is seen when %s", ([, observation, asked, expected]) => {
  expect(problems(observation, asked).join("; ")).toContain(expected);
});

test("while a transaction may be open it may hold readers back, and lack its markers", () => {
  const open = seen({ ...A, read: [], log: [data(0, "one/1")], lastStableOffset: 0 }, ["a:0=1"]);
  const partitions = open.partitions.map((each) => ({
    ...each,
    read: [],
    log: each.log.slice(0, 1),
    lastStableOffset: 0,
  }));
  expect(problems({ ...open, partitions }, { end: "none", answered: false }, false)).toEqual([]);
  expect(problems({ ...open, partitions }, { end: "none", answered: false }).join("; ")).toContain(
    "the transaction 7:0 in a-0 has no marker",
  );
});
