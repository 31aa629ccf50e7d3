/** A run as a file: its seed, its shape and its script, each entry on a line of its own, so that lines can be taken out by hand. */
import type { Run } from "../run/simulation.ts";
import type { Shape } from "../shape/shape.ts";
import type { Entry } from "./entry.ts";

const VERSION = 1;

interface ScriptFile {
  readonly version: number;
  readonly seed: number;
  readonly shape: Shape;
  readonly script: readonly Entry[];
}

export function scriptText({ seed, shape, script }: Run): string {
  const lines = script.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n");
  const head = `{\n  "version": ${VERSION},\n  "seed": ${seed},\n  "shape": ${JSON.stringify(shape)},\n`;
  return `${head}  "script": [\n${lines}\n  ]\n}\n`;
}

/** Throws an Error for what is no such file. */
export function readScript(text: string): Run {
  const { version, seed, shape, script } = JSON.parse(text) as ScriptFile;
  if (version !== VERSION) throw new Error(`the script is of version ${version}; expected ${VERSION}`);
  return { seed, shape, script };
}
