/** What is published: every package of this workspace that does not say "private". Decision 0017 says why these. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {{ readonly [field: string]: any, readonly name: string, readonly version: string }} Manifest
 * @typedef {{ readonly folder: string, readonly manifest: Manifest }} Published
 */

/** @returns {Published[]} by name; `folder` is absolute */
export function publishedPackages() {
  return ["packages", "apps"]
    .flatMap((parent) => readdirSync(join(ROOT, parent)).map((name) => join(ROOT, parent, name)))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true)
    .sort((one, other) => (one.manifest.name < other.manifest.name ? -1 : 1));
}
