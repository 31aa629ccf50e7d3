/** A whole run from nothing but its seed. */
import { drawScript } from "../script/draw-script.ts";
import { drawShape } from "../shape/draw-shape.ts";
import type { Judges } from "./judges.ts";
import { type RunResult, simulate } from "./simulation.ts";

const NOBODY: Judges = { afterAct: () => {}, atEnd: async () => {} };

export function simulateSeed(seed: number, { isHashed = false, judges = NOBODY } = {}): Promise<RunResult> {
  const shape = drawShape(seed);
  return simulate({ seed, shape, script: drawScript(seed, shape) }, { judges, isHashed });
}
