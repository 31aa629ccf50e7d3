/**
 * How long anything is made once more: not longer than the broker lives for it.
 *
 * Owns what is given up. What is under way asks between two requests of its history, and ends there.
 */
import { BrokerError } from "@minikafka/core";

/** What was under way in memory has touched nothing; what was under way in the folder does not count. */
export type Given = "rehearsals" | "all";

/** Some of a history was not carried out once more, since the broker stops. */
export class GivenUp extends BrokerError {
  constructor(what: Given) {
    const left = what === "all" ? "the next start has the state from before" : "nothing is changed";
    super("SHUTTING_DOWN", `the broker is stopping in the middle of what it makes once more; ${left}`);
  }
}

export class Patience {
  #given: Given | null = null;

  /** `rehearsals`: only what is made in memory. From now on none of it is begun or gone on with. */
  giveUp(what: Given): void {
    if (this.#given !== "all") this.#given = what;
  }

  /** For what is made in memory. Throws {@link GivenUp}. */
  readonly inMemory = (): void => {
    if (this.#given !== null) throw new GivenUp("rehearsals");
  };

  /** For what is made in the folder. Throws {@link GivenUp}. */
  readonly inPlace = (): void => {
    if (this.#given === "all") throw new GivenUp("all");
  };
}
