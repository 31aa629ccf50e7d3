/** A process for a command to run in: its three streams in memory, and what it said. */
import { PassThrough, Readable, Writable } from "node:stream";
import type { World } from "../src/context.ts";

export interface TestWorld extends World {
  readonly said: { stdout: string; stderr: string };
  readonly interrupt: () => void;
}

function collecting(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(chunk.toString());
      done();
    },
  });
}

/** The user who runs the tests may have contexts of his own. */
const NO_SETTINGS = { XDG_CONFIG_HOME: "/nowhere" };

export interface GivenWorld {
  readonly stdin?: string;
  readonly env?: World["env"];
  /** Which streams are a terminal. */
  readonly terminal?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
}

export function testWorld(given: GivenWorld = {}): TestWorld {
  const said = { stdout: "", stderr: "" };
  const interruption = new AbortController();
  const stdin = given.stdin === undefined ? new PassThrough() : Readable.from([Buffer.from(given.stdin)]);
  const stdout = collecting((text) => {
    said.stdout += text;
  });
  const stderr = collecting((text) => {
    said.stderr += text;
  });
  return {
    stdin: Object.assign(stdin, { isTTY: given.terminal?.stdin === true }),
    stdout: Object.assign(stdout, { isTTY: given.terminal?.stdout === true }),
    stderr: Object.assign(stderr, { isTTY: given.terminal?.stderr === true }),
    env: { ...NO_SETTINGS, ...given.env },
    interrupted: interruption.signal,
    said,
    interrupt: () => interruption.abort(),
  };
}
