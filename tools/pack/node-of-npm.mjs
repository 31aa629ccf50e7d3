/** Other versions of Node than the one that runs this, as npm has them: the package `node-<platform>-<arch>` holds the program. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./project.mjs").Project} Project */

/**
 * From here on `node` in `project` is this version.
 * @param {Project} project
 * @param {string} version such as "22"
 * @returns {Promise<string>} which it is in full
 */
export async function useNode(project, version) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const folder = join(project.folder, ".node");
  mkdirSync(folder);
  await project.install(`npm install --prefix "${folder}" node-${platform}-${process.arch}@${version}`);
  project.putOnPath(join(folder, "node_modules", `node-${platform}-${process.arch}`, "bin"));
  return (await project.run("node", ["--version"])).trim();
}
