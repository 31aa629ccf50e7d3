/**
 * What `npm start` and `npm test` do first: install what the manifests and the lockfile name, and build.
 *
 * Plain JavaScript with types in comments, since it runs before anything is installed. A stamp in node_modules
 * says for what the last install was made; while it fits, nothing is installed and no network is needed.
 * What has to be built again is turbo's to decide.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, rememberPnpm, runTool, runToolQuietly } from "./pinned-pnpm.mjs";
import { workspaceFolders } from "./workspace-folders.mjs";

const STAMP = join(ROOT, "node_modules", ".installed-for");

/** @returns {string} a digest of all that an install depends on */
function fingerprint() {
  const manifests = ["package.json", ...workspaceFolders(ROOT).map((folder) => `${folder}/package.json`)];
  const hash = createHash("sha256");
  hash.update(`node ${process.versions.node.split(".")[0]} ${process.platform} ${process.arch}\n`);
  for (const path of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) {
    const file = join(ROOT, path);
    hash.update(`${path}\n${existsSync(file) ? readFileSync(file, "utf8") : "missing"}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} output what the installer said; empty when a person has watched it
 * @returns {string} what to do next
 */
function adviceAfter(output) {
  if (/OUTDATED_LOCKFILE/.test(output)) {
    return "A package.json has changed and pnpm-lock.yaml has not: run `npm run pnpm -- install`, then this again.";
  }
  return (
    "The install did not finish; the reason is above. The first install needs the npm registry: `npm ping` tells " +
    "whether npm reaches it. Then run the same command again, it goes on where it stopped."
  );
}

/**
 * Installs the pinned tools and the dependencies where they do not fit the manifests.
 * @returns {Promise<boolean>} false when it failed; the reason and what to do next have then been printed
 */
export async function install() {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return true;
  console.error("Installing the pinned tools and dependencies (the first time takes a minute) …");
  // Removed first, so that an install that is broken off is not taken for a whole one.
  rmSync(STAMP, { force: true });
  const program = ["pnpm", "install", "--frozen-lockfile", "--config.confirmModulesPurge=false"];
  const watched = process.stderr.isTTY === true;
  const { ok, output } = watched
    ? { ok: (await runTool(program)) === 0, output: "" }
    : runToolQuietly(program);
  if (!ok) {
    console.error(`${output}\n${adviceAfter(output)}`);
    return false;
  }
  rememberPnpm();
  writeFileSync(STAMP, wanted);
  return true;
}

/**
 * Builds what has changed since it was last built.
 * @returns {boolean} false when it failed; the reason has then been printed
 */
export function build() {
  console.error("Building what has changed …");
  const { ok, output } = runToolQuietly(["turbo", "run", "build", "--output-logs=errors-only"]);
  if (!ok) console.error(`${output}\nThe build failed; the reason is above.`);
  return ok;
}
