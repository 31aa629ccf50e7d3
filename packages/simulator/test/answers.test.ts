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
