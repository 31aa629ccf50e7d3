/**
 * What a request names more than once. Some of it is refused with each of its names, as in Kafka; what is only looked at is told once, so
 * that no answer grows by telling the same again and again.
 */

/** Those of `keys` that are there more than once. */
export function namedTwice<Key>(keys: Iterable<Key>): ReadonlySet<Key> {
  const seen = new Set<Key>();
  const twice = new Set<Key>();
  for (const key of keys) (seen.has(key) ? twice : seen).add(key);
  return twice;
}

/** Each of the partitions once, by topic, in the order in which they are named first. */
export function partitionsByTopic(
  topics: Iterable<{ readonly name: string; readonly partitions: Iterable<number> }>,
): ReadonlyMap<string, ReadonlySet<number>> {
  const byTopic = new Map<string, Set<number>>();
  for (const { name, partitions } of topics) {
    const known = byTopic.get(name) ?? new Set();
    byTopic.set(name, known);
    for (const partition of partitions) known.add(partition);
  }
  return byTopic;
}
