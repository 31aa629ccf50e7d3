/** What an offset is an offset of. */

/**
 * A partition, `orders/0`. A topic that is deleted and made anew is another one: whoever records gives it another name
 * (`orders#2/0`).
 */
export type PlaceName = string;

export interface PlacedOffset {
  readonly place: PlaceName;
  /** Of the next record to be read; `null`: none is committed. */
  readonly offset: number | null;
}
