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

/** Throws an Error that names `file` for what is no such file. */
export function readScript(file: string, text: string): Run {
  const parsed = parse(file, text);
  if (parsed?.version !== VERSION)
    throw new Error(`${file} is no script of version ${VERSION}; --save writes one`);
  const { seed, shape, script } = parsed as ScriptFile;
  return { seed, shape, script };
}

function parse(file: string, text: string): Partial<ScriptFile> | null {
  try {
    return JSON.parse(text) as Partial<ScriptFile> | null;
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`);
  }
}
