/** The middle of several measurements: on a machine that does other things too, a mean says more about those. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no measurement has a median");
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}

/** Below the first lies a quarter of the measurements, above the second another. */
export function quartiles(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.ceil(sorted.length / 2);
  return [median(sorted.slice(0, half)), median(sorted.slice(-half))];
}

/** The least measurement that `percent` of them do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new RangeError("no measurement has a percentile");
  return found;
}
