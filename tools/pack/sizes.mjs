/** How large each package may be: a bound a little above what it is, so that whatever makes it larger is seen and meant. */

/** @typedef {import("./tarball.mjs").Tarball} Tarball */

/** @type {{ readonly [name: string]: { readonly packedKb: number, readonly unpackedKb: number } }} In thousands of bytes. */
export const BOUNDS = {
  "@minikafka/broker": { packedKb: 700, unpackedKb: 2_800 },
  "@minikafka/cli": { packedKb: 600, unpackedKb: 2_400 },
  "@minikafka/client": { packedKb: 200, unpackedKb: 750 },
  "@minikafka/compression": { packedKb: 15, unpackedKb: 40 },
  "@minikafka/core": { packedKb: 550, unpackedKb: 2_000 },
  "@minikafka/protocol": { packedKb: 160, unpackedKb: 900 },
  "@minikafka/record": { packedKb: 35, unpackedKb: 110 },
  "@minikafka/testing": { packedKb: 42, unpackedKb: 130 },
};

const LARGEST = 6;

/**
 * @param {Tarball} tarball
 * @returns {string[]} a sentence with what takes the most room, where it is too large
 */
export function sizeProblems({ manifest, packedBytes, unpackedBytes, files }) {
  const bound = BOUNDS[manifest.name];
  if (bound === undefined) return [`say in tools/pack/sizes.mjs how large ${manifest.name} may be`];
  const packed = packedBytes > bound.packedKb * 1_000;
  const unpacked = unpackedBytes > bound.unpackedKb * 1_000;
  if (!packed && !unpacked) return [];
  const is = `${kb(packedBytes)} packed and ${kb(unpackedBytes)} unpacked`;
  const may = `${bound.packedKb} kB and ${bound.unpackedKb} kB`;
  const largest = roomBy(files, folderOf).map(([name, bytes]) => `${name} ${kb(bytes)}`);
  return [`is ${is}, and may be ${may}; what takes the most: ${largest.slice(0, LARGEST).join(", ")}`];
}

/**
 * @param {Tarball["files"]} files
 * @param {(path: string) => string} groupOf
 * @returns {[string, number][]} the largest first
 */
function roomBy(files, groupOf) {
  /** @type {Map<string, number>} */
  const rooms = new Map();
  for (const { path, data } of files) rooms.set(groupOf(path), (rooms.get(groupOf(path)) ?? 0) + data.length);
  return [...rooms].sort(([, one], [, other]) => other - one);
}

/**
 * @param {string} path
 * @returns {string} of dist the room, of all else the file
 */
function folderOf(path) {
  return /^dist\/[^/]+\//.exec(path)?.[0] ?? path;
}

/**
 * @param {number} bytes
 * @returns {string}
 */
export function kb(bytes) {
  return `${(bytes / 1_000).toFixed(bytes < 100_000 ? 1 : 0)} kB`;
}
