/** An empty project of a user's, in a temporary folder: files, an install, programs that are run in it. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

/** Whatever hangs is ended. */
const RUN_MS_MAX = 180_000;

/** What npm says where it reaches no registry. */
const OFFLINE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

export class Offline extends Error {}

export class Project {
  /** Absolute. */
  folder = realpathSync(mkdtempSync(join(tmpdir(), "minikafka-project-")));
  /** @type {string[]} */
  #path = [];

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
   * Throws Offline where npm reaches no registry.
   * @param {readonly string[]} words of `npm install`
   */
  async install(words) {
    const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--no-update-notifier"];
    // Who is offline is not to wait a minute for it.
    const patience = ["--fetch-retries=1", "--fetch-retry-factor=1", "--fetch-retry-mintimeout=500"];
    try {
      await this.run("npm", ["install", ...quiet, ...patience, ...words]);
    } catch (error) {
      if (error instanceof Error && OFFLINE.test(error.message)) throw new Offline(error.message);
      throw error;
    }
  }

  /**
   * Runs a program to its end; throws with all that it has said, where that is no good one.
   * @param {string} program
   * @param {readonly string[]} words
   * @param {string} [input] its stdin
   * @returns {Promise<string>} its stdout
   */
  async run(program, words, input = "") {
    const child = this.#spawn(program, words);
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
    if (code !== 0) throw new Error(`${program} ${words.join(" ")}: exit code ${code}\n${all}`);
    return out;
  }

  /**
   * Starts a program that goes on, and waits for its first line.
   * @param {string} program
   * @param {readonly string[]} words
   * @returns {Promise<{ line: string, ended: Promise<number | null> }>}
   */
  async start(program, words) {
    const child = this.#spawn(program, words);
    let said = "";
    child.stderr.on("data", (bytes) => {
      said += bytes;
    });
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.on("close", resolve));
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      child.once("error", reject);
      void ended.then((code) =>
        reject(new Error(`${program} ${words.join(" ")}: exit code ${code}\n${said}`)),
      );
    });
    return { line, ended };
  }

  /**
   * @param {string} program
   * @param {readonly string[]} words
   */
  #spawn(program, words) {
    // A test runner's own variables would change what one in here does; those of npm would name another project.
    const foreign = /^(?:npm_|NODE_TEST_CONTEXT|NODE_OPTIONS|VITEST|TEST$|NODE_ENV$|MINIKAFKA_)/;
    const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    const registry = Object.entries(process.env).filter(([name]) =>
      /^npm_config_(?:registry|cache|userconfig)$/.test(name),
    );
    const path = [...this.#path, process.env.PATH].join(delimiter);
    const env = { ...Object.fromEntries([...kept, ...registry]), PATH: path };
    return spawn(program, [...words], {
      cwd: this.folder,
      env,
      timeout: RUN_MS_MAX,
      shell: process.platform === "win32",
    });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
