/**
 * What a bundle owes to those whose code is in it: their licenses ask that copyright and permission go with every copy, and a bundle that is
 * published is one.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LINE = "-".repeat(80);

/** What may be in a program that is handed on under MIT. Anything else is to be looked at by a person first. */
const PERMISSIVE = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD"];

/**
 * @param {readonly string[]} modules paths of the files in a bundle, and names of the bundler's own
 * @returns {string} the name, version and license of each package from outside that one of them belongs to, by name
 */
export function licensesOf(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== null));
  const parts = new Map([...folders].map((folder) => entryOf(String(folder))));
  return [...parts.keys()]
    .sort()
    .map((title) => `${title}\n\n${parts.get(title)}\n`)
    .join(`\n${LINE}\n\n`);
}

/**
 * @param {string} module
 * @returns {string | null} the folder of its package; `null` for the bundler's own and for those of this workspace, which have one license
 */
function packageFolder(module) {
  const [path] = module.replaceAll("\0", "").split("?");
  const at = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(String(path))?.[0];
  return at === undefined || !existsSync(join(at, "package.json")) ? null : at;
}

/**
 * @param {string} folder
 * @returns {[string, string]} a title, and the text of its license
 */
function entryOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!PERMISSIVE.includes(license))
    throw new Error(
      `${name}@${version} is licensed under ${license}: may it be bundled? (${dirname(folder)})`,
    );
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text =
    file === undefined
      ? `(a file with the text of the license is not part of it)`
      : readFileSync(join(folder, file), "utf8");
  return [`${name} ${version} (${license})`, text.trim()];
}
