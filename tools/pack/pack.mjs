/** From built packages to tarballs, by the pinned pnpm: it writes versions where a manifest says `workspace:`, and puts the LICENSE in. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { publishedPackages, ROOT } from "./published.mjs";

/** Where the tarballs go; README's reader installs them from there. */
export const PACKED = join(ROOT, "packed");

/**
 * Packs every published package into PACKED. What lies there from an earlier time is removed first.
 * @returns {{ name: string, file: string }[]} by name
 */
export function packAll() {
  const published = publishedPackages();
  for (const { folder } of published) removeLeftOvers(folder);
  mkdirSync(PACKED, { recursive: true });
  for (const old of readdirSync(PACKED)) if (old.endsWith(".tgz")) rmSync(join(PACKED, old));
  const filters = published.flatMap(({ folder }) => ["--filter", `./${relative(ROOT, folder)}`]);
  const words = ["pnpm", "--recursive", ...filters, "pack", "--pack-destination", PACKED, "--json"];
  const run = spawnSync(process.execPath, [join(ROOT, "tools", "run.mjs"), ...words], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`pnpm pack failed:\n${run.stdout}${run.stderr}`);
  /** @type {{ name: string, filename: string }[]} */
  const packed = JSON.parse(run.stdout);
  return packed
    .map(({ name, filename }) => ({ name, file: filename }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The compiler adds to dist and removes nothing: what was built from a source that is gone would be packed.
 * @param {string} folder of a package
 */
function removeLeftOvers(folder) {
  const dist = join(folder, "dist");
  for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!/\.[a-z]+$/.test(path)) continue;
    const source = join(folder, "src", path.replace(/\.(?:d\.ts|js)$/, ".ts"));
    if (!existsSync(source)) rmSync(join(dist, path));
  }
}
