/**
 * The order in which what is asked of one transactional id takes effect: that of the calls.
 *
 * Owns: who has a turn, and who waits for one, by name.
 * Invariants: who is alone has a turn while nobody else has one; those of different lanes have theirs side by side, those of one
 * lane one after another; nobody overtakes whom they could not stand beside. Whoever need not wait begins within the call.
 * Never: a turn for somebody who has given up waiting for it.
 */
import { unlessGivenUp, type Wait } from "../coordinator/give-up.ts";
import { quoted } from "../quoted.ts";

interface Turn {
  /** `null`: alone. */
  readonly lane: string | null;
  /** Settles when the turn is over. */
  readonly act: () => Promise<void> | null;
}

interface Line {
  readonly having: Set<Turn>;
  waiting: Turn[];
}

export class Turns {
  readonly #lines = new Map<string, Line>();

  /** Runs `act` with nobody beside it, and settles as it does. Rejects with REQUEST_TIMED_OUT when `wait` ends before. */
  alone<Result>(name: string, act: () => Result | Promise<Result>, wait: Wait = {}): Promise<Result> {
    return this.#take(name, null, act, wait);
  }

  /** The same beside those of other lanes. One whose `act` returns no promise is over when that returns. */
  beside<Result>(
    name: string,
    lane: string,
    act: () => Result | Promise<Result>,
    wait: Wait = {},
  ): Promise<Result> {
    return this.#take(name, lane, act, wait);
  }

  #take<Result>(
    name: string,
    lane: string | null,
    act: () => Result | Promise<Result>,
    wait: Wait,
  ): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      const turn: Turn = {
        lane,
        act: () => {
          try {
            wait.giveUp?.throwIfAborted();
            const acted = act();
            resolve(acted);
            return acted instanceof Promise ? acted.then(ignore, ignore) : null;
          } catch (problem) {
            reject(problem);
            return null;
          }
        },
      };
      const line = this.#lines.get(name) ?? { having: new Set(), waiting: [] };
      this.#lines.set(name, line);
      line.waiting.push(turn);
      this.#next(name, line);
    });
    return unlessGivenUp(result, wait, () => `the turn of ${quoted(name)}`);
  }

  /** Gives a turn to everybody who can have one now. */
  #next(name: string, line: Line): void {
    for (let index = 0; index < line.waiting.length; ) {
      const turn = line.waiting[index];
      if (turn === undefined) break;
      const before = [...line.having, ...line.waiting.slice(0, index)];
      if (!before.every((other) => canStandBeside(turn, other))) {
        index += 1;
        continue;
      }
      line.waiting.splice(index, 1);
      line.having.add(turn);
      const over = turn.act();
      if (over === null) line.having.delete(turn);
      else
        over.then(() => {
          line.having.delete(turn);
          this.#next(name, line);
        });
    }
    if (line.having.size === 0 && line.waiting.length === 0) this.#lines.delete(name);
  }
}

function canStandBeside(turn: Turn, other: Turn): boolean {
  return turn.lane !== null && other.lane !== null && turn.lane !== other.lane;
}

function ignore(): void {}
