/**
 * The CRC-32 of bytes of which a few at the front have changed, without reading the rest again.
 *
 * CRC-32 is linear over GF(2): a change of the message changes the CRC by the change's own CRC, moved over all the bytes that
 * follow it. Moving over n bytes is a multiplication by x^(8n) modulo the CRC's polynomial, and a power takes as many squares
 * as n has bits. Bits stand in reflected order, as in zlib: the highest bit is the power 0.
 */
import { crc32 } from "node:zlib";

const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X_TO_THE_8 = 0x00800000;

function multiply(one: number, other: number): number {
  let product = 0;
  let shifted = other;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((one & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x^8, x^16, x^32 …: as many as a length of 32 bits asks for. */
const POWERS: readonly number[] = squares(32);

function squares(count: number): number[] {
  const powers = [X_TO_THE_8];
  for (let last = X_TO_THE_8; powers.length < count; powers.push(last)) last = multiply(last, last);
  return powers;
}

function movedOver(crc: number, lengthBytes: number): number {
  let moved = crc;
  for (let bit = 0, rest = lengthBytes; rest !== 0; bit += 1, rest >>>= 1)
    if ((rest & 1) !== 0) moved = multiply(POWERS[bit] as number, moved);
  return moved;
}

/** `crc` was that of `before` and of `followingBytes` bytes more; the result is that of `after`, as long, and the same bytes. */
export function changedCrc(
  crc: number,
  change: { readonly before: Uint8Array; readonly after: Uint8Array; readonly followingBytes: number },
): number {
  const difference = crc32(change.before) ^ crc32(change.after);
  return (crc ^ movedOver(difference >>> 0, change.followingBytes)) >>> 0;
}

/** The CRC-32 of the `followingBytes` bytes behind `front`, when `crc` is that of both together. */
export function followingCrc(crc: number, front: Uint8Array, followingBytes: number): number {
  return (crc ^ movedOver(crc32(front), followingBytes)) >>> 0;
}
