/**
 * The order in which one connection's requests to entities of one kind (groups, or transactions) take effect.
 *
 * Owns what is unanswered of them. A change is judged in the order of arrival by the kernel itself, and several may wait for their
 * acknowledgement at once. A look tells what is acknowledged, and so has to wait for the changes that came before it; a change that
 * comes behind a look that waits, waits for it. A change of entities of two kinds, such as the end of a transaction with offsets of
 * groups, has its turn among both.
 * Invariants: what came first begins first, but for a look, which nothing that it does not wait for has to wait for; what is begun,
 * ends up in no list once it has settled; other entities and other connections are not waited for.
 */

/** For who is about all entities of the kind. */
export const ALL = Symbol("all");

/** Of one name, or of all that there are. */
export type Whose = string | typeof ALL;
/** Whose change, and among which. */
export type Turn = readonly [turns: Turns, whose: Whose];

export class Turns {
  readonly #changes = new Map<Whose, Set<Promise<unknown>>>();
  /** Of changes that wait: they resolve when those begin. */
  readonly #beginnings = new Map<Whose, Set<Promise<unknown>>>();
  /** Looks that wait, or have not ended. */
  readonly #looks = new Map<Whose, Promise<unknown>>();

  /** Begins `act` at once, unless a look at one of the same waits, or a change of it that came before. */
  static change<Result>(turns: readonly Turn[], act: () => Promise<Result>): Promise<Result> {
    const waits = turns.flatMap(([among, whose]) => [
      ...among.#looksAt(whose),
      ...among.#beginningsOf(whose),
    ]);
    const turn = waits.length === 0 ? null : Promise.allSettled(waits);
    const result = turn === null ? act() : turn.then(act);
    for (const [among, whose] of turns) {
      if (turn !== null) noteIn(among.#beginnings, whose, turn);
      noteIn(among.#changes, whose, result);
    }
    return result;
  }

  /** As the static one, among these alone. */
  change<Result>(whose: Whose, act: () => Promise<Result>): Promise<Result> {
    return Turns.change([[this, whose]], act);
  }

  /** Begins `act` once all changes before it are answered; at once when there are none. */
  look<Result>(whose: Whose, act: () => Promise<Result>): Promise<Result> {
    const before = [...allOf(this.#changes, whose), ...this.#looksAt(whose)];
    if (before.length === 0) return act();
    const result = Promise.allSettled(before).then(act);
    this.#looks.set(whose, result);
    whenSettled(result, () => {
      if (this.#looks.get(whose) === result) this.#looks.delete(whose);
    });
    return result;
  }

  #beginningsOf(whose: Whose): Promise<unknown>[] {
    return allOf(this.#beginnings, whose);
  }

  #looksAt(whose: Whose): Promise<unknown>[] {
    if (whose === ALL) return [...this.#looks.values()];
    return [this.#looks.get(whose), this.#looks.get(ALL)].filter((look) => look !== undefined);
  }
}

type Noted = Map<Whose, Set<Promise<unknown>>>;

/** Until it has settled. */
function noteIn(noted: Noted, whose: Whose, promise: Promise<unknown>): void {
  const some = noted.get(whose) ?? new Set();
  noted.set(whose, some.add(promise));
  whenSettled(promise, () => {
    some.delete(promise);
    if (some.size === 0) noted.delete(whose);
  });
}

/** Those of one entity and of all, or of every one. */
function allOf(noted: Noted, whose: Whose): Promise<unknown>[] {
  const sets = whose === ALL ? [...noted.values()] : [noted.get(whose) ?? [], noted.get(ALL) ?? []];
  return sets.flatMap((some) => [...some]);
}

function whenSettled(promise: Promise<unknown>, act: () => void): void {
  promise.then(act, act);
}
