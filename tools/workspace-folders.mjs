/** The folders of this workspace's packages, read from the file that also tells pnpm. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} root
 * @returns {string[]} relative to the root, in a fixed order, with "/" between names
 */
export function workspaceFolders(root) {
  const text = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const list = /^packages:\n((?:\s+- .+\n)+)/m.exec(text)?.[1] ?? "";
  const patterns = [...list.matchAll(/- "?([^"\n]+)"?/g)].map((match) => String(match[1]));
  const folders = patterns.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const parent = pattern.slice(0, -2);
    return existsSync(join(root, parent))
      ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
      : [];
  });
  return folders.filter((folder) => existsSync(join(root, folder, "package.json"))).sort();
}
