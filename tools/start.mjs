/**
 * `npm start [-- FLAGS]`: installs, builds, starts the broker on ./data, and says what to type in a second terminal.
 *
 * The broker is a child that has our terminal and our arguments. Its stdout passes through us, since its one line
 * there says where it listens; signals go to it, and its exit code is ours.
 */
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { adviceOnceReady, adviceWhenKept, adviceWhenNotStarted } from "./advice.mjs";
import { ROOT } from "./pinned-pnpm.mjs";
import { build, install } from "./set-up.mjs";

/** As the broker's own. */
const EXIT_USAGE = 2;

const BROKER = join(ROOT, "node_modules", "@minikafka", "broker");

/** @returns {Promise<string | null>} what is wrong with how we were called */
async function keptFlags() {
  const { settings } = await import(pathToFileURL(join(BROKER, "dist", "settings.js")).href);
  const names = [...Object.keys(settings.shape), "config"];
  return adviceWhenKept(process.env, names, process.argv.slice(2));
}

/** @returns {Promise<number>} the broker's exit code */
async function runBroker() {
  const advice = await keptFlags();
  if (advice !== null) {
    console.error(advice);
    return EXIT_USAGE;
  }
  const program = join(BROKER, "bin", "minikafka-broker.cjs");
  // A later --data wins over ours.
  const args = [program, "--data", "./data", ...process.argv.slice(2)];
  const broker = spawn(process.execPath, args, { cwd: ROOT, stdio: ["inherit", "pipe", "inherit"] });
  let ready = false;
  createInterface({ input: broker.stdout }).on("line", (line) => {
    console.log(line);
    const advice = adviceOnceReady(line);
    if (advice === null) return;
    ready = true;
    console.error(advice);
  });
  passSignalsTo(broker);
  return new Promise((resolve) => {
    broker.on("error", (error) => {
      console.error(`The broker could not be started: ${error.message}`);
      resolve(1);
    });
    broker.on("close", (code, signal) => {
      if (!ready && code !== 0 && signal === null) console.error(adviceWhenNotStarted());
      if (signal !== null) console.error(`The broker was ended by ${signal}.`);
      resolve(code === null ? 1 : code);
    });
  });
}

/** Between npm and us stands a shell that passes no signal on: when it is gone, so is whoever wanted the broker. */
const PARENT_LOOK_MS = 500;

/** @param {import("node:child_process").ChildProcess} broker */
function passSignalsTo(broker) {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal gives Ctrl-C to the broker itself; a second one, from us, could read as impatience.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      broker.kill(signal);
    });
  }
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid !== parent) broker.kill("SIGTERM");
  }, PARENT_LOOK_MS);
  look.unref();
}

process.exitCode = (await install()) && build() ? await runBroker() : 1;
