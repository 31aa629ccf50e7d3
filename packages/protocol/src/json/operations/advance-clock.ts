import { z } from "zod";
import { operation } from "../operation.ts";

/** A step of a year at most: a slip of the finger should not carry a cluster past every date. */
const ADVANCE_MS_MAX = 366 * 24 * 60 * 60 * 1000;

export const advanceClock = operation({
  name: "advance_clock",
  summary: "Moves a manual clock forward and does nothing else, but that waits whose time has come end.",
  request: () => ({ ms: z.int().min(0).max(ADVANCE_MS_MAX).describe("how far to move, in milliseconds") }),
  response: () => z.object({ now_ms: z.int() }),
});

const JUMPS_MAX = 100;

/** A way into the future in moves of the clock that are allowed, or `null` where it leads farther than a hundred of them. */
export function clockJumps(wayMs: number): number[] | null {
  const count = Math.ceil(wayMs / ADVANCE_MS_MAX);
  if (count > JUMPS_MAX) return null;
  return Array.from({ length: count }, (_none, index) =>
    Math.min(ADVANCE_MS_MAX, wayMs - index * ADVANCE_MS_MAX),
  );
}
