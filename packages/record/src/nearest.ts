/** What somebody may have meant by a word that there is not. */

/** The name that is nearest to `word` and near enough to be meant, or `null`; of equally near ones the first. */
export function nearest(word: string, names: Iterable<string>): string | null {
  const typed = word.toLowerCase();
  let best: string | null = null;
  // A third of the letters may be wrong, of a short word one; but not all that there are.
  let bound = Math.min(Math.max(1, Math.floor(word.length / 3)) + 1, word.length);
  for (const name of names) {
    // So many letters are too many or too few: no need to compare those of a word without end.
    if (Math.abs(name.length - word.length) >= bound) continue;
    const distance = distanceOf(typed, name.toLowerCase());
    if (distance >= bound) continue;
    best = name;
    bound = distance;
  }
  return best;
}

/** How many letters have to be put in, taken out, replaced or swapped with their neighbour. */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const candidates = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      ];
      if (isSwapped && row > 1 && column > 1) candidates.push((beforeLast[column - 2] ?? 0) + 1);
      current.push(Math.min(...candidates));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
