import { describe, expect, test } from "vitest";
import { Verdict } from "../src/checkers/checker.ts";
import { answeredInPlace, retryKnown } from "../src/checkers/state/answers.ts";
import type { BatchLook } from "../src/checkers/state/log-mirror.ts";
import type { PartitionLook } from "../src/checkers/state/partition-look.ts";
import { batch, MadeLooks, sequenced } from "./made-looks.ts";

const LOG = { 1: { batches: [sequenced(0, 0), sequenced(1, 1), batch(2)] } };

function sentAs(baseSequence: number) {
  return { records: 1, sequence: { producerId: 7, producerEpoch: 0, baseSequence } };
}

function answered(
  baseSequence: number,
  baseOffset: number,
  appendedIn: number | null = null,
  before: readonly PartitionLook[] = [],
): Verdict {
  const verdict = new Verdict();
  const look = new MadeLooks().made(LOG);
  answeredInPlace.answered(
    { look, before },
    { ...sentAs(baseSequence), baseOffset, appendedIn },
    verdict.judgeOf("answered-in-place"),
  );
  return verdict;
}

/** A gap in the place of what compaction took. */
function gap(baseOffset: number, nextOffset: number): BatchLook {
  return batch(baseOffset, { nextOffset, recordCount: 0 });
}

interface AnsweredInGap {
  readonly baseOffset: number;
  readonly baseSequence: number;
  readonly epoch?: number;
  readonly records?: number;
  readonly isCompacted?: boolean;
}

/** Who flags it. */
function answeredInCompacted(
  batches: readonly BatchLook[],
  { baseOffset, baseSequence, epoch = 0, records = 1, isCompacted = true }: AnsweredInGap,
): string[] {
  const verdict = new Verdict();
  const sequence = { producerId: 7, producerEpoch: epoch, baseSequence };
  answeredInPlace.answered(
    { look: new MadeLooks().made({ 1: { batches: batches.map(read) } }, { isCompacted }), before: [] },
    { records, sequence, baseOffset, appendedIn: null },
    verdict.judgeOf("answered-in-place"),
  );
  return verdict.violations.map(({ checker }) => checker);
}

/** With its records, as a log that is compacted is read. */
function read(each: BatchLook): BatchLook {
  const { baseOffset, recordCount } = each;
  const recordAt = (_: unknown, index: number) => ({
    offset: baseOffset + index,
    key: "k",
    isTombstone: false,
  });
  return { ...each, records: Array.from({ length: recordCount }, recordAt) };
}

function refused(baseSequence: number, log: Parameters<MadeLooks["made"]>[0] = LOG): Verdict {
  const verdict = new Verdict();
  retryKnown.refused(new MadeLooks().made(log), sentAs(baseSequence), verdict.judgeOf("retry-known"));
  return verdict;
}

describe("an answer to a send", () => {
  test("is flagged where another batch stands, or nothing", () => {
    for (const verdict of [answered(0, 1), answered(0, 2), answered(2, 3)])
      expect(verdict.violations.map(({ checker }) => checker)).toEqual(["answered-in-place"]);
  });

  test("is none to be flagged where another leads who had not to have it", () => {
    expect(answered(2, 3, 5).violations).toEqual([]);
    expect(answered(2, 3, 0).violations.length).toBe(1);
  });

  test("is none to be flagged where its batch stood when it was given, before another led", () => {
    const ledBy = (...batches: BatchLook[]) => [new MadeLooks().made({ 1: { batches } })];
    expect(answered(3, 3, null, ledBy(batch(0), batch(1), batch(2), sequenced(3, 3))).violations).toEqual([]);
    expect(answered(3, 3, null, ledBy(batch(0), batch(1), batch(2), batch(3))).violations.length).toBe(1);
  });

  test("is none to be flagged where its batch stands", () => {
    const verdict = answered(1, 1);
    expect(verdict.violations).toEqual([]);
    expect(verdict.evaluations.get("answered-in-place")).toBe(1);
  });
});

describe("an answer to a send where compaction has been", () => {
  const thinned = batch(4, { ...sequenced(4, 4), nextOffset: 6, recordCount: 1 });
  const compacted = [sequenced(0, 0), gap(1, 4), thinned, batch(6)];

  test("is none to be flagged where a gap is left of its batch, whatever stands behind it", () => {
    for (const baseOffset of [1, 2, 3])
      expect(answeredInCompacted(compacted, { baseOffset, baseSequence: baseOffset })).toEqual([]);
    expect(answeredInCompacted(compacted, { baseOffset: 1, baseSequence: 1, records: 3 })).toEqual([]);
    expect(
      answeredInCompacted([gap(0, 2), gap(2, 3)], { baseOffset: 1, baseSequence: 1, records: 2 }),
    ).toEqual([]);
  });

  test("is none to be flagged where its batch has lost records", () => {
    expect(answeredInCompacted(compacted, { baseOffset: 4, baseSequence: 4, records: 2 })).toEqual([]);
  });

  test("is flagged where another batch stands, also one that has lost records, or where none ever stood", () => {
    for (const answer of [
      { baseOffset: 0, baseSequence: 2 },
      { baseOffset: 4, baseSequence: 3, records: 2 },
      { baseOffset: 5, baseSequence: 5 },
      { baseOffset: 6, baseSequence: 6 },
      { baseOffset: 7, baseSequence: 7 },
      { baseOffset: 3, baseSequence: 3, records: 2 },
    ])
      expect(answeredInCompacted(compacted, answer)).toEqual(["answered-in-place"]);
  });

  test("is flagged in a gap where its batch cannot have stood, beside others of its producer", () => {
    for (const answer of [
      { baseOffset: 1, baseSequence: 3 },
      { baseOffset: 3, baseSequence: 4 },
      { baseOffset: 2, baseSequence: 5 },
      { baseOffset: 3, baseSequence: 0 },
    ])
      expect(answeredInCompacted(compacted, answer)).toEqual(["answered-in-place"]);
    const [older, newer] = [sequenced(0, 9, 0), sequenced(3, 0, 2)];
    for (const epoch of [0, 1, 2]) {
      const answer = { baseOffset: 2, baseSequence: 4, epoch };
      const flags = epoch === 1 ? [] : ["answered-in-place"];
      expect(answeredInCompacted([older, gap(1, 3), newer], answer)).toEqual(flags);
    }
  });

  test("is flagged in a gap of a log that is not compacted", () => {
    const answer = { baseOffset: 2, baseSequence: 2, isCompacted: false };
    expect(answeredInCompacted(compacted, answer)).toEqual(["answered-in-place"]);
  });
});

describe("a refusal as out of order", () => {
  test("is flagged for one of the last five of its producer", () => {
    const [violation] = refused(0).violations;
    expect(violation?.checker).toBe("retry-known");
    expect(violation?.evidence.length).toBeGreaterThan(0);
  });

  test("is none to be flagged for one that is missing, or too old", () => {
    const six = Array.from({ length: 6 }, (_, index) => sequenced(index, index));
    for (const verdict of [refused(2), refused(0, { 1: { batches: six } })]) {
      expect(verdict.violations).toEqual([]);
      expect(verdict.evaluations.get("retry-known")).toBe(1);
    }
  });
});
