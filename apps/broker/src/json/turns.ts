/**
 * The order in which one connection's requests to entities of one kind (groups, or transactions) take effect.
 *
 * Owns what is unanswered of them. A change is judged in the order of arrival by the kernel itself, and several may wait for their
 * acknowledgement at once. A look tells what is acknowledged, and so has to wait for the changes that came before it; a change that
 * comes behind a look that waits, waits for it.
 * Invariants: what is begun, ends up in no list once it has settled; other entities and other connections are not waited for.
 */

/** For who is about all entities of the kind. */
export const ALL = Symbol("all");

type Whose = string | typeof ALL;

export class Turns {
  readonly #changes = new Map<Whose, Set<Promise<unknown>>>();
  /** Looks that wait, or have not ended. */
  readonly #looks = new Map<Whose, Promise<unknown>>();

  /** Begins `act` at once, unless a look at the same waits. */
  change<Result>(whose: Whose, act: () => Promise<Result>): Promise<Result> {
    const looks = this.#looksAt(whose);
    const result = looks.length === 0 ? act() : Promise.allSettled(looks).then(act);
    const changes = this.#changes.get(whose) ?? new Set();
    this.#changes.set(whose, changes.add(result));
    whenSettled(result, () => {
      changes.delete(result);
      if (changes.size === 0) this.#changes.delete(whose);
    });
    return result;
  }

  /** Begins `act` once all changes before it are answered; at once when there are none. */
  look<Result>(whose: Whose, act: () => Promise<Result>): Promise<Result> {
    const before = this.#before(whose);
    if (before.length === 0) return act();
    const result = Promise.allSettled(before).then(act);
    this.#looks.set(whose, result);
    whenSettled(result, () => {
      if (this.#looks.get(whose) === result) this.#looks.delete(whose);
    });
    return result;
  }

  #before(whose: Whose): Promise<unknown>[] {
    const changes =
      whose === ALL
        ? [...this.#changes.values()]
        : [this.#changes.get(whose) ?? [], this.#changes.get(ALL) ?? []];
    return [...changes.flatMap((some) => [...some]), ...this.#looksAt(whose)];
  }

  #looksAt(whose: Whose): Promise<unknown>[] {
    if (whose === ALL) return [...this.#looks.values()];
    return [this.#looks.get(whose), this.#looks.get(ALL)].filter((look) => look !== undefined);
  }
}

function whenSettled(promise: Promise<unknown>, act: () => void): void {
  promise.then(act, act);
}
