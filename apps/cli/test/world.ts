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

export function testWorld(given: { stdin?: string; env?: World["env"] } = {}): TestWorld {
  const said = { stdout: "", stderr: "" };
  const interruption = new AbortController();
  return {
    stdin: given.stdin === undefined ? new PassThrough() : Readable.from([Buffer.from(given.stdin)]),
    stdout: collecting((text) => {
      said.stdout += text;
    }),
    stderr: collecting((text) => {
      said.stderr += text;
    }),
    env: given.env ?? {},
    interrupted: interruption.signal,
    said,
    interrupt: () => interruption.abort(),
  };
}
