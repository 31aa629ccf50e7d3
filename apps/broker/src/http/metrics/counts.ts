/** Numbers that only rise, by a few words each. */
export class Counts<Words extends readonly string[]> {
  readonly #counts = new Map<string, { readonly words: Words; count: number }>();

  add(count: number, ...words: Words): void {
    const key = words.join("\n");
    const entry = this.#counts.get(key);
    if (entry === undefined) this.#counts.set(key, { words, count });
    else entry.count += count;
  }

  /** In the order in which they came up. */
  *all(): Iterable<readonly [number, ...Words]> {
    for (const { words, count } of this.#counts.values()) yield [count, ...words];
  }

  /** Forgets what `isGone` says is gone. */
  forget(isGone: (...words: Words) => boolean): void {
    for (const [key, { words }] of this.#counts) if (isGone(...words)) this.#counts.delete(key);
  }
}
