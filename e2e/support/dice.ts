/** Numbers that look random and depend on a seed alone: whole ones, from 0 up to below `limit`. */
export type Dice = (limit: number) => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
