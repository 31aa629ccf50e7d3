/** One compressed block of an LZ4 frame, over which lz4-frame.ts has walked: its lengths lie within it, and are those of its target. */
import { damaged } from "./codec.ts";
import { MATCH_BYTES_MIN } from "./lz4-frame.ts";

/** Shorter pieces are copied byte by byte: the call would cost more. */
const CALL_BYTES_MIN = 32;

interface Unpacking {
  readonly target: Buffer;
  /** Where in it the block comes to lie. */
  readonly at: number;
  /** The first byte that a match may repeat. */
  readonly floor: number;
}

/** Returns where in the target it ends. Throws "damaged" for a match of what is not there. */
export function unpackBlock(
  bytes: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  { target, at, floor }: Unpacking,
): number {
  let [from, to] = [start, at];
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = bytes[from++] as number;
    return length;
  };
  for (;;) {
    const token = bytes[from++] as number;
    const literals = lengthOf(token >> 4);
    if (literals >= CALL_BYTES_MIN) bytes.copy(target, to, from, from + literals);
    else for (let n = 0; n < literals; n += 1) target[to + n] = bytes[from + n] as number;
    from += literals;
    to += literals;
    // The last sequence has no match.
    if (from >= end) return to;
    const distance = bytes.readUInt16LE(from);
    from += 2;
    if (distance === 0 || distance > to - floor)
      throw damaged(`a match in an LZ4 block reaches back ${distance} bytes of ${to - floor}`);
    to = repeat(target, to, distance, lengthOf(token & 15) + MATCH_BYTES_MIN);
  }
}

/** Repeats what lies `distance` before `to`, also where it is shorter than `length`. */
function repeat(target: Buffer, to: number, distance: number, length: number): number {
  const end = to + length;
  if (length < CALL_BYTES_MIN) {
    for (let at = to; at < end; at += 1) target[at] = target[at - distance] as number;
    return end;
  }
  // What was copied is the same again: each time twice as much.
  for (let at = to; at < end; ) {
    const piece = Math.min(at - to + distance, end - at);
    target.copyWithin(at, to - distance, to - distance + piece);
    at += piece;
  }
  return end;
}
