/** How everything is judged: a question asked of a subject, how often it really came up, and what was wrong. */

/** A broken promise. */
export interface Violation {
  /** Which checker found it, `lost-write`. */
  readonly checker: string;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What was seen that shows it: who, what, where and when. */
  readonly evidence: readonly string[];
}

export interface Judge {
  /** The question came up: there was something that could have been wrong. A checker that never asks proves nothing. */
  asked(times?: number): void;
  violated(problem: string, evidence?: readonly string[]): void;
}

export interface Checker<Subject> {
  readonly name: string;
  /** What is to hold, in one sentence. */
  readonly promise: string;
  check(subject: Subject, judge: Judge): void;
}

/** One broken promise breaks many in its wake: so many of each checker are kept. */
const VIOLATIONS_KEPT = 20;

/** What came of all questions. */
export class Verdict {
  readonly violations: Violation[] = [];
  readonly #asked = new Map<string, number>();

  /** By checker, how often its question came up. */
  get evaluations(): ReadonlyMap<string, number> {
    return this.#asked;
  }

  run<Subject>(checkers: readonly Checker<Subject>[], subject: Subject): void {
    for (const checker of checkers) checker.check(subject, this.judgeOf(checker.name));
  }

  judgeOf(checker: string): Judge {
    this.#asked.set(checker, this.#asked.get(checker) ?? 0);
    return {
      asked: (times = 1) => {
        this.#asked.set(checker, (this.#asked.get(checker) ?? 0) + times);
      },
      violated: (problem, evidence = []) => {
        const kept = this.violations.filter((each) => each.checker === checker).length;
        if (kept < VIOLATIONS_KEPT) this.violations.push({ checker, problem, evidence });
      },
    };
  }
}
