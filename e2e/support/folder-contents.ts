/** All files under a folder with their bytes, but what only says who holds it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HOLD_NAMES: readonly string[] = ["lock", "lock.hold"];

/** By their path within the folder, sorted; bytes as Base64, so that a difference can be shown. */
export function folderContents(folder: string): { readonly [path: string]: string } {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !HOLD_NAMES.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = entries.sort().map((path): [string, string] => {
    return [path.slice(folder.length + 1), readFileSync(path).toString("base64")];
  });
  return Object.fromEntries(files);
}
