/** Chance for the simulator: rows of numbers that follow from a seed and a name, so that what one part draws changes no other's. */
import { SeededRandom } from "@minikafka/core";

/** FNV-1a, over the seed and the name. */
function seedOf(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

export class Chance extends SeededRandom {
  static of(seed: number, name: string): Chance {
    return new Chance(seedOf(seed, name));
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  percent(share: number): boolean {
    return this.below(100) < share;
  }

  /** Of at least one. */
  oneOf<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value {
    if (values.length === 0) throw new RangeError("there is nothing to draw from");
    return values[this.below(values.length)] as Value;
  }

  /** Each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let drawn = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [name, weight] of entries) {
      drawn -= weight;
      if (drawn < 0) return name;
    }
    throw new RangeError("the weights are all 0");
  }
}
