/** Imported first: an older Node gets one sentence instead of a stack trace out of some dependency. */
import { readFileSync } from "node:fs";

/**
 * @param {string} range package.json's `engines.node`, of the form ">=20.19"
 * @param {string} version a Node version such as "20.19.2"
 * @returns {boolean}
 */
export function isNewEnough(range, version) {
  const [wantedMajor = 0, wantedMinor = 0] = range.replace(">=", "").split(".").map(Number);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

if (!isNewEnough(engines.node, process.versions.node)) {
  console.error(
    `MiniKafka needs Node ${engines.node.replace(">=", "")} or newer; this is Node ${process.versions.node}. ` +
      "Install a current Node (https://nodejs.org) and run the same command again.",
  );
  process.exit(1);
}
