/**
 * The one pnpm and the one turbo that this repository uses, on a machine that has only Node and npm.
 *
 * npm fetches the pnpm named in package.json's `packageManager` once and keeps it in its own cache. Where it put it is
 * remembered, since asking npm takes longer than all that turbo does when nothing has changed. turbo runs with that pnpm on
 * its PATH: it starts each task with it.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const REMEMBERED = join(ROOT, "node_modules", ".pinned-pnpm.json");
const WINDOWS = process.platform === "win32";

/**
 * @typedef {{ command: string, args: string[], shell: boolean, env: NodeJS.ProcessEnv }} Start
 */

/** @returns {string} for example "pnpm@12.21.0" */
function pinnedPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return packageManager.split("+")[0];
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
 * @param {readonly string[]} program a name and its arguments
 * @returns {Start} npm, which puts the pinned pnpm on the program's PATH
 */
function throughNpm(program) {
  // --prefer-offline: a version that npm has fetched once needs no question to the network.
  // --ignore-scripts=false: pnpm puts its program in place by a script of its own; whoever has forbidden scripts in
  // general would be left with a stand-in that turbo cannot start.
  const options = ["--yes", "--prefer-offline", "--ignore-scripts=false", `--package=${pinnedPnpm()}`];
  const args = ["exec", ...options, "--", ...program];
  // Under `npm start` npm says where it is itself, which spares us the npm.cmd of Windows.
  const npm = process.env.npm_execpath;
  if (npm !== undefined && basename(npm).startsWith("npm-cli")) {
    return { command: process.execPath, args: [npm, ...args], shell: false, env: environment() };
  }
  return { command: "npm", args, shell: WINDOWS, env: environment() };
}

/**
 * @param {readonly string[]} program
 * @returns {Start | null} the program itself, while npm's copy of pnpm is where it was
 */
function straight([command = "", ...args]) {
  if (!existsSync(REMEMBERED)) return null;
  const { pnpm, folder } = JSON.parse(readFileSync(REMEMBERED, "utf8"));
  if (pnpm !== pinnedPnpm() || !existsSync(join(folder, "pnpm"))) return null;
  const env = environment();
  // Windows spells it "Path".
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  env[key] = [join(ROOT, "node_modules", ".bin"), folder, env[key]].join(delimiter);
  return { command, args, shell: WINDOWS, env };
}

/** Keeps where npm has put the pinned pnpm, for the next time. */
export function rememberPnpm() {
  const start = throughNpm(["node", "-p", "process.env.PATH"]);
  const { stdout } = spawnSync(start.command, start.args, { ...start, cwd: ROOT, encoding: "utf8" });
  const folder = (stdout ?? "")
    .trim()
    .split(delimiter)
    .find((path) => existsSync(join(path, "pnpm")));
  if (folder !== undefined) writeFileSync(REMEMBERED, JSON.stringify({ pnpm: pinnedPnpm(), folder }));
}

/**
 * Runs a pinned tool, its output going where ours goes.
 * @param {readonly string[]} program for example ["turbo", "run", "build"]
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function runTool(program) {
  const { command, args, shell, env } = straight(program) ?? throughNpm(program);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, shell, stdio: "inherit", env });
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
  const { command, args, shell, env } = straight(program) ?? throughNpm(program);
  const options = { cwd: ROOT, shell, env, encoding: /** @type {const} */ ("utf8") };
  const result = spawnSync(command, args, { ...options, maxBuffer: 64 * 1024 * 1024 });
  const said = [result.stdout, result.stderr, result.error?.message];
  return { ok: result.status === 0, output: said.filter(Boolean).join("\n") };
}
