/**
 * run_until_quiet: pending steps, one after another, until none would do anything; each tells what it did, or why not.
 * Refuses: STEPPING_DISABLED.
 */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";
import { QuietRun } from "../pending/quiet-run.ts";

export const runUntilQuiet: Handler<"run_until_quiet"> = async ({ max_steps: stepsMax }, context, client) => {
  requireLab(context);
  return context.hold(new QuietRun(context, client).take(stepsMax));
};
