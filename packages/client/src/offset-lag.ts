/**
 * How many records lie between `offset` and the visible end. `null` when the offset lies past the end, where no record is: the
 * next fetch there is refused, and who reads goes by its reset.
 */
export function lagOf(offset: number, endOffset: number): number | null {
  return offset <= endOffset ? endOffset - offset : null;
}
