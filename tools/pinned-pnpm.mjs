/**
 * The one pnpm and the one turbo that this repository uses, on a machine that has only Node and npm.
 *
 * npm fetches the pnpm named in package.json's `packageManager` once, keeps it in its own cache, and puts it
 * on the PATH of whatever it then runs. turbo runs under the same roof, since it starts each task with pnpm.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** @returns {string} for example "pnpm@12.21.0" */
function pinnedPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return packageManager.split("+")[0];
}

/**
 * How to run a program with the pinned pnpm on its PATH.
 * @param {readonly string[]} program a name and its arguments
 * @returns {{ command: string, args: string[], shell: boolean }}
 */
function underPinnedPnpm(program) {
  // --prefer-offline: a version that npm has fetched once needs no question to the network.
  // --ignore-scripts=false: pnpm puts its program in place by a script of its own; whoever has forbidden scripts in
  // general would be left with a stand-in that turbo cannot start.
  const options = ["--yes", "--prefer-offline", "--ignore-scripts=false", `--package=${pinnedPnpm()}`];
  const exec = ["exec", ...options, "--", ...program];
  // Under `npm start` npm says where it is itself, which spares us the npm.cmd of Windows.
  const npm = process.env.npm_execpath;
  if (npm !== undefined && basename(npm).startsWith("npm-cli")) {
    return { command: process.execPath, args: [npm, ...exec], shell: false };
  }
  return { command: "npm", args: exec, shell: process.platform === "win32" };
}

/** @returns {NodeJS.ProcessEnv} */
function environment() {
  return {
    ...process.env,
    // No reports to anybody and no advice to upgrade: versions are pinned here on purpose.
    DO_NOT_TRACK: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
    // Named in turbo.json: what passed under one Node is run again under another.
    MINIKAFKA_BUILT_WITH_NODE: process.version,
  };
}

/**
 * Runs a pinned tool, its output going where ours goes.
 * @param {readonly string[]} program for example ["turbo", "run", "build"]
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function runTool(program) {
  const { command, args, shell } = underPinnedPnpm(program);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, shell, stdio: "inherit", env: environment() });
    child.on("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code === null ? 1 : code));
  });
}

/**
 * Runs a pinned tool and keeps what it says.
 * @param {readonly string[]} program
 * @returns {{ ok: boolean, output: string }}
 */
export function runToolQuietly(program) {
  const { command, args, shell } = underPinnedPnpm(program);
  const options = { cwd: ROOT, shell, env: environment(), encoding: /** @type {const} */ ("utf8") };
  const result = spawnSync(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 });
  const said = [result.stdout, result.stderr, result.error?.message];
  return { ok: result.status === 0, output: said.filter(Boolean).join("\n") };
}
