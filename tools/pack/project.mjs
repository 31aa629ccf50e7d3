/**
 * An empty project of a user's, in a temporary folder, beside a folder `minikafka` that is this checkout: files, an install, programs that are
 * run in it, lines that are typed in it.
 */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./published.mjs";

/** Whatever hangs is ended. */
const RUN_MS_MAX = 180_000;

/** What npm says where it reaches no registry. */
const OFFLINE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

/** What npm is to leave out, and that who is offline is not to wait a minute for it. */
const NPM = {
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_prefer_offline: "true",
  npm_config_update_notifier: "false",
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_factor: "1",
  npm_config_fetch_retry_mintimeout: "500",
};

/** @typedef {{ readonly [name: string]: string }} Variables */
/** @typedef {import("node:child_process").ChildProcessWithoutNullStreams} Child */

export class Offline extends Error {}

export class Project {
  #home = realpathSync(mkdtempSync(join(tmpdir(), "minikafka-project-")));
  /** Absolute. */
  folder = join(this.#home, "project");
  /** @type {string[]} */
  #path = [];

  constructor() {
    mkdirSync(this.folder);
    symlinkSync(ROOT, join(this.#home, "minikafka"), "junction");
  }

  /**
   * @param {string} name with "/" between folders
   * @param {string} text
   */
  write(name, text) {
    mkdirSync(join(this.folder, name, ".."), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  /**
   * @param {string} name
   * @returns {string}
   */
  read(name) {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /**
   * Programs are looked for here before anywhere else.
   * @param {string} folder absolute
   */
  putOnPath(folder) {
    this.#path.unshift(folder);
  }

  /**
   * Types a line that installs; throws Offline where npm reaches no registry.
   * @param {string} line
   */
  async install(line) {
    try {
      await this.type(line);
    } catch (error) {
      if (error instanceof Error && OFFLINE.test(error.message)) throw new Offline(error.message);
      throw error;
    }
  }

  /**
   * Types a line, as into a shell, and waits for its end; throws with all that it has said, where that is no good one.
   * @param {string} line
   * @param {{ inFolder?: string, env?: Variables }} [where] the folder from the project's
   * @returns {Promise<string>} its stdout
   */
  type(line, { inFolder = ".", env = {} } = {}) {
    return saidBy(line, this.#spawn(line, [], { cwd: join(this.folder, inFolder), env, shell: true }), "");
  }

  /**
   * Runs a program to its end; throws with all that it has said, where that is no good one.
   * @param {string} program
   * @param {readonly string[]} words
   * @param {string} [input] its stdin
   * @returns {Promise<string>} its stdout
   */
  run(program, words, input = "") {
    return saidBy([program, ...words].join(" "), this.#spawn(program, words), input);
  }

  /**
   * Types a line whose program goes on, and waits for the first that it says.
   * @param {string} line
   * @param {Variables} [env]
   * @returns {Promise<{ line: string, interrupt: () => Promise<string> }>} `interrupt` is Ctrl-C; once all of them have ended, it
   *   returns what they have said on stderr
   */
  async start(line, env = {}) {
    // A group of its own, to which a Ctrl-C goes as from a terminal.
    const child = this.#spawn(line, [], { env, shell: true, detached: true });
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += bytes;
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const first = await new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("error", reject);
      void ended.then((code) => reject(new Error(`${line}: exit code ${code}\n${said}`)));
    });
    const interrupt = async () => {
      process.kill(-Number(child.pid), "SIGINT");
      await ended;
      return said;
    };
    return { line: first, interrupt };
  }

  /**
   * @param {string} program
   * @param {readonly string[]} words
   * @param {{ cwd?: string, env?: Variables, shell?: boolean, detached?: boolean }} [how]
   * @returns {Child}
   */
  #spawn(program, words, { cwd = this.folder, env = {}, ...how } = {}) {
    // A test runner's own variables would change what one in here does; those of npm would name another project.
    const foreign = /^(?:npm_|NODE_TEST_CONTEXT|NODE_OPTIONS|VITEST|TEST$|NODE_ENV$|MINIKAFKA_)/;
    const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    const registry = Object.entries(process.env).filter(([name]) =>
      /^npm_config_(?:registry|cache|userconfig)$/.test(name),
    );
    const path = [...this.#path, process.env.PATH].join(delimiter);
    return spawn(program, [...words], {
      cwd,
      env: { ...Object.fromEntries([...kept, ...registry]), ...NPM, PATH: path, ...env },
      timeout: RUN_MS_MAX,
      shell: process.platform === "win32",
      ...how,
    });
  }

  remove() {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/**
 * @param {string} line
 * @param {Child} child
 * @param {string} input
 * @returns {Promise<string>}
 */
async function saidBy(line, child, input) {
  child.stdin.end(input);
  let out = "";
  let all = "";
  child.stdout.on("data", (bytes) => {
    out += bytes;
    all += bytes;
  });
  child.stderr.on("data", (bytes) => {
    all += bytes;
  });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  if (code !== 0) throw new Error(`${line}: exit code ${code}\n${all}`);
  return out;
}
