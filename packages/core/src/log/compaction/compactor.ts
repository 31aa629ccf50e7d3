/**
 * Compaction of one log: whether a pass is due, and that there is one at a time.
 *
 * Owns: the pass that runs. Invariants: whoever asks while one runs shares it; a pass that met the removal of the oldest
 * segments (retention, deleted records) is begun anew over the rest at once, so that frequent removals do not starve it.
 * Never: more than PASSES_MAX passes for one call.
 */

import type { LogParts } from "../parts/log-parts.ts";
import { CompactionPass, Overtaken, OvertakenByRemoval } from "./compaction-pass.ts";
import { planCompaction } from "./compaction-plan.ts";
import type { CompactionRequest, CompactionResult } from "./compaction-request.ts";

const PASSES_MAX = 4;

export class Compactor {
  readonly #parts: LogParts;
  #pass: CompactionPass | null = null;
  #running: Promise<CompactionResult | null> | null = null;

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  /** See PartitionLog.compact. */
  compact(request: CompactionRequest): Promise<CompactionResult | null> {
    this.#running ??= this.#takePasses(request).finally(() => {
      this.#running = null;
      this.#pass = null;
    });
    return this.#running;
  }

  /** Ends the pass that runs, if there is one, and resolves when it has cleaned up. */
  async stop(): Promise<void> {
    this.#pass?.stop();
    await this.#running?.catch(() => {});
  }

  async #takePasses(request: CompactionRequest): Promise<CompactionResult | null> {
    for (let pass = 1; ; pass++) {
      try {
        return await this.#run(request);
      } catch (problem) {
        if (!(problem instanceof Overtaken)) throw problem;
        if (!(problem instanceof OvertakenByRemoval) || pass === PASSES_MAX) return null;
      }
    }
  }

  async #run(request: CompactionRequest): Promise<CompactionResult | null> {
    const { context, segments, keeper } = this.#parts;
    const { config, env, place } = context;
    const { firstDirtyOffset, nextHorizonMs } = keeper.manifest;
    const { nowMs, cleanEnd, minCleanableDirtyRatio = config.minCleanableDirtyRatio } = request;
    const plan = planCompaction({
      ...{ firstDirtyOffset, cleanEnd, minCleanableDirtyRatio, nextHorizonMs, nowMs },
      sealed: segments.sealed(),
    });
    if (plan === null || !config.compacts) return null;
    const inputs = [...plan.clean, ...plan.dirty];
    env.trace({
      kind: "compaction_started",
      ...place,
      ...{ firstDirtyOffset, cleanEnd, dirtyRatio: plan.dirtyRatio },
      segments: inputs.length,
      bytes: inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    });
    this.#pass = new CompactionPass(this.#parts, request, plan);
    try {
      return await this.#pass.run();
    } catch (problem) {
      const reason = problem instanceof Error ? problem.message : String(problem);
      env.trace({ kind: "compaction_abandoned", ...place, reason });
      throw problem;
    }
  }
}
