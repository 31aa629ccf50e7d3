/** What lies in a tarball. */
import { readFileSync } from "node:fs";
import { unpack } from "@publint/pack";

/**
 * @typedef {import("./published.mjs").Manifest} Manifest
 * @typedef {{ readonly path: string, readonly data: Uint8Array }} PackedFile
 * @typedef {{ readonly packedBytes: number, readonly unpackedBytes: number, readonly files: readonly PackedFile[],
 *   readonly manifest: Manifest }} Tarball
 */

/**
 * @param {string} file
 * @returns {Promise<Tarball>} paths are relative to the package's folder
 */
export async function readTarball(file) {
  const bytes = readFileSync(file);
  const { files, rootDir } = await unpack(bytes);
  return tarballOf(
    bytes.length,
    files.map(({ name, data }) => ({ path: name.slice(rootDir.length + 1), data })),
  );
}

/**
 * @param {number} packedBytes
 * @param {readonly PackedFile[]} files package.json among them
 * @returns {Tarball}
 */
export function tarballOf(packedBytes, files) {
  const unpackedBytes = files.reduce((bytes, { data }) => bytes + data.length, 0);
  const manifest = JSON.parse(textOf(files.find(({ path }) => path === "package.json")));
  return { packedBytes, unpackedBytes, files, manifest };
}

/**
 * @param {PackedFile | undefined} file
 * @returns {string}
 */
export function textOf(file) {
  return Buffer.from(file?.data ?? []).toString();
}
