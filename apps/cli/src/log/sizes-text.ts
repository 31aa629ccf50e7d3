/** Numbers with their nouns. */

/** `1 batch`, `2 batches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export interface Sizes {
  readonly segments: number;
  readonly batches: number;
  readonly records: number;
  readonly bytes: number;
}

/** How much was looked at. */
export function sizesText({ segments, batches, records, bytes }: Sizes): string {
  return [
    counted(segments, "segment"),
    counted(batches, "batch", "batches"),
    counted(records, "record"),
    counted(bytes, "byte"),
  ].join(", ");
}
