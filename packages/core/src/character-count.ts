/** Lengths of names and notes, as the schemas of the wire count them. */

/** In Unicode's characters: an emoji is one, though JavaScript's `length` has two for it. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
