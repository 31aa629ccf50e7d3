/** Those of `keys` that are there more than once: what a request may not name twice is refused with each of its names. */
export function namedTwice<Key>(keys: Iterable<Key>): ReadonlySet<Key> {
  const seen = new Set<Key>();
  const twice = new Set<Key>();
  for (const key of keys) (seen.has(key) ? twice : seen).add(key);
  return twice;
}
