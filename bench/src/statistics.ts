/** The middle of several measurements: on a machine that does other things too, a mean says more about those. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no measurement has a median");
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
