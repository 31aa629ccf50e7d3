/** The process around {@link run}: signals in, an exit code out. */
import { EXIT } from "./exit-codes.ts";
import { run } from "./run.ts";

/** How long a command may take to wind up after Ctrl-C; a second Ctrl-C ends it at once. */
const WIND_UP_MS = 2_000;

const interrupted = new AbortController();
let signalled: number | null = null;

function onSignal(exitCode: number): void {
  if (signalled !== null) process.exit(signalled);
  signalled = exitCode;
  interrupted.abort();
  setTimeout(() => process.exit(exitCode), WIND_UP_MS).unref();
}

process.on("SIGINT", () => onSignal(EXIT.interrupted));
process.on("SIGTERM", () => onSignal(EXIT.terminated));
// Nobody reads the remarks any more; the work itself goes on.
process.stderr.on("error", () => undefined);

const { stdin, stdout, stderr, env } = process;
const surroundings = { stdin, stdout, stderr, env, interrupted: interrupted.signal };
// Whatever rejects would be a bug of ours, and ends the process with its stack.
void run(process.argv.slice(2), surroundings).then((exitCode) => {
  // An unread stdin, a terminal above all, would keep the process alive.
  process.exit(signalled === EXIT.terminated ? signalled : exitCode);
});
