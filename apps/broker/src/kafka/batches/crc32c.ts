/**
 * CRC-32C (Castagnoli), which Kafka's batches carry. Node has none: `@node-rs/crc32` computes it by the processor's own
 * instructions. Where there is no build of it for the machine, a table does the same, some fifteen times slower.
 */
import { createRequire } from "node:module";

type Crc32c = (bytes: Uint8Array) => number;

/** Reflected. */
const POLYNOMIAL = 0x82f63b78;

const native = loadNative();

export const crc32c: Crc32c = native ?? crc32cByTable;

/** Whether this machine computes it natively. */
export const isCrc32cNative: boolean = native !== null;

/** Not by `import`: where the build is missing, that would end a daemon which may have no Kafka listener at all. */
function loadNative(): Crc32c | null {
  try {
    const module: typeof import("@node-rs/crc32") = createRequire(import.meta.url)("@node-rs/crc32");
    return (bytes) => module.crc32c(bytes);
  } catch {
    return null;
  }
}

let table: Uint32Array | null = null;

/** The same, in JavaScript alone. */
export function crc32cByTable(bytes: Uint8Array): number {
  table ??= makeTable();
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, index) => {
    let entry = index;
    for (let bit = 0; bit < 8; bit += 1) entry = (entry & 1) === 0 ? entry >>> 1 : (entry >>> 1) ^ POLYNOMIAL;
    return entry;
  });
}
