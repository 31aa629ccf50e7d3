/** Each checker against histories that it must flag, and others in which the same question comes up and nothing is wrong. */
import { expect, test } from "vitest";
import { type MadeHistory, verdictOf } from "./made-history.ts";

export interface Case {
  readonly what: string;
  readonly checker: string;
  readonly make: (history: MadeHistory) => void;
}

export function testFlagged(cases: readonly Case[]): void {
  test.for(cases)("is flagged as $checker: $what", ({ checker, make }) => {
    const { violations } = verdictOf(make);
    const flagged = violations.filter((each) => each.checker === checker);
    expect(flagged.length, JSON.stringify(violations)).toBeGreaterThan(0);
    for (const { problem, evidence } of flagged) {
      expect(problem).not.toBe("");
      expect(evidence.length).toBeGreaterThan(0);
    }
  });
}

export function testSound(cases: readonly Case[]): void {
  test.for(cases)("is nothing to $checker, though it was asked: $what", ({ checker, make }) => {
    const verdict = verdictOf(make);
    expect(verdict.violations).toEqual([]);
    expect(verdict.evaluations.get(checker)).toBeGreaterThan(0);
  });
}

/** Nothing is flagged: the contract promises nothing there. */
export function testExcused(cases: readonly Omit<Case, "checker">[]): void {
  test.for(cases)("is no broken promise: $what", ({ make }) => {
    expect(verdictOf(make).violations).toEqual([]);
  });
}
