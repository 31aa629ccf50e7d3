/** Whatever readers should not find is seen by the model that the drawn histories are compared with. */
import { describe, expect, test } from "vitest";
import {
  type ModelTransaction,
  type ReadPartition,
  type Sent,
  TransactionModel,
} from "./transaction-model.ts";

interface Scene {
  readonly model: TransactionModel;
  readonly one: ModelTransaction;
  /** Acknowledged, in two partitions. */
  readonly inA: Sent;
  readonly inB: Sent;
}

function scene({ commits = 1 } = {}): Scene {
  const model = new TransactionModel();
  const one = model.begin("1:0", "billing", 0);
  one.mayBeAborted = true;
  const inA = model.send("a-0", "k", one);
  const inB = model.send("b-0", "k", one);
  inA.offset = 4;
  inB.offset = 7;
  one.commits = commits;
  return { model, one, inA, inB };
}

function partition(place: string, change: Partial<ReadPartition> = {}): ReadPartition {
  return { place, records: [], logStartOffset: 0, lastStableOffset: 100, isCompacted: false, ...change };
}

const recordOf = ({ value, offset }: Sent) => ({ value, offset: offset ?? 0 });

describe("records", () => {
  test("that are all read, or none of them, are no problem", () => {
    const { model, one, inA, inB } = scene();
    model.read(partition("a-0", { records: [recordOf(inA)] }));
    model.read(partition("b-0", { records: [recordOf(inB)] }));
    expect(one.fate).toBe("commit");
    const other = scene();
    other.model.read(partition("a-0"));
    other.model.read(partition("b-0"));
    expect(other.one.fate).toBe("abort");
  });

  test("may be missing where nobody can read them yet or any more, or compaction has replaced them", () => {
    const { model, one, inA } = scene();
    model.read(partition("a-0", { lastStableOffset: 4 }));
    model.read(partition("a-0", { logStartOffset: 5 }));
    model.send("a-0", "k").offset = 200;
    model.read(partition("a-0", { isCompacted: true }));
    expect(one.fate).toBeNull();
    model.read(partition("a-0", { records: [recordOf(inA)] }));
    expect(one.fate).toBe("commit");
  });

  test.for<[what: string, act: (scene: Scene) => void, problem: string]>([
    [
      "read in one partition and not in the other",
      ({ model, inA }) => {
        model.read(partition("a-0", { records: [recordOf(inA)] }));
        model.read(partition("b-0"));
      },
      "1:0 was known as commit, and now",
    ],
    [
      "read after a reader has passed them",
      ({ model, inA }) => {
        model.read(partition("a-0"));
        model.read(partition("a-0", { records: [recordOf(inA)] }));
      },
      "1:0 was known as abort, and now",
    ],
    [
      "missing, and answered as committed",
      ({ model, one }) => {
        model.learn(one, "commit", "its commit was answered");
        model.read(partition("b-0"));
      },
      "1:0/1 is not read at 7",
    ],
    [
      "read twice",
      ({ model, inA }) => model.read(partition("a-0", { records: [recordOf(inA), recordOf(inA)] })),
      "twice",
    ],
    [
      "read elsewhere than it was answered",
      ({ model, inA }) => model.read(partition("a-0", { records: [{ ...recordOf(inA), offset: 5 }] })),
      "was answered with 4",
    ],
    [
      "read in another partition",
      ({ model, inA }) => model.read(partition("b-0", { records: [recordOf(inA)] })),
      "where nobody sent it",
    ],
    [
      "read and were refused",
      ({ model, inA }) => {
        inA.isRefused = true;
        model.read(partition("a-0", { records: [recordOf(inA)] }));
      },
      "where nobody sent it",
    ],
  ])("are a problem when they are %s", ([, act, problem]) => {
    expect(() => act(scene())).toThrow(problem);
  });

  test("are a problem when they are read and nobody committed them", () => {
    const { model, inA } = scene({ commits: 0 });
    expect(() => model.read(partition("a-0", { records: [recordOf(inA)] }))).toThrow("nobody committed 1:0");
  });
});

test("what nobody aborted is no transaction that is aborted: neither of another id, nor before its time", () => {
  const { model, one } = scene();
  one.mayBeAborted = false;
  model.threaten("payroll");
  model.timeIsOver(0);
  expect(() => model.read(partition("a-0"))).toThrow("nobody aborted 1:0");
  const other = scene();
  other.one.mayBeAborted = false;
  other.model.timeIsOver(1);
  other.model.read(partition("a-0"));
  expect(other.one.fate).toBe("abort");
});

describe("a group's offset", () => {
  /** One number of no transaction, then one of a transaction, both taken. */
  function numbers() {
    const made = scene();
    const plain = made.model.sendNumber("a:0");
    plain.takenAt = made.model.tick();
    const sent = made.model.sendNumber("a:0", made.one);
    sent.takenAt = made.model.tick();
    return { ...made, plain, sent };
  }

  test("is that of the last transaction that committed, or the one before when none did", () => {
    const { model, one, plain, sent } = numbers();
    model.found("a:0", plain.number, { askedAt: model.tick(), isOver: false });
    expect(one.fate).toBeNull();
    model.found("a:0", sent.number, { askedAt: model.tick(), isOver: true });
    expect(one.fate).toBe("commit");
    const other = numbers();
    other.model.found("a:0", other.plain.number, { askedAt: other.model.tick(), isOver: true });
    expect(other.one.fate).toBe("abort");
  });

  test("is a problem when it is older than one that was taken, or that of a transaction whose records are not read", () => {
    const { model, one, plain, sent } = numbers();
    expect(() => model.found("a:0", null, { askedAt: model.tick(), isOver: false })).toThrow("came later");
    model.learn(one, "commit", "its commit was answered");
    one.overAt = model.tick();
    const older = () => model.found("a:0", plain.number, { askedAt: model.tick(), isOver: false });
    expect(older).toThrow("came later");
    const other = numbers();
    other.model.read(partition("a-0"));
    const torn = () => other.model.found("a:0", sent.number, { askedAt: other.model.tick(), isOver: false });
    expect(torn).toThrow("1:0 was known as abort");
  });
});
