/**
 * Compaction of one log: whether a pass is due, and that there is one at a time.
 *
 * Owns: the pass that runs. Invariants: whoever asks while one runs shares it; a pass that met the removal of the oldest
 * segments (retention, deleted records) is begun anew over the rest at once, so that frequent removals do not starve it.
 * Never: more than PASSES_MAX passes for one call.
 */

import type { LogParts } from "../parts/log-parts.ts";
import { CompactionPass, Overtaken } from "./compaction-pass.ts";
import type {
  CompactionGaveWay,
  CompactionOutcome,
  CompactionRequest,
  PassResult,
} from "./compaction-request.ts";
import { dueCompaction, type HeldCompaction } from "./due-compaction.ts";

const PASSES_MAX = 4;

export class Compactor {
  readonly #parts: LogParts;
  #pass: CompactionPass | null = null;
  #running: Promise<CompactionOutcome | null> | null = null;
  /** Of this one it was told that what waits for it is held, which is so until it is another. */
  #toldHorizonMs: number | null = null;

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  /** See PartitionLog.compact. */
  compact(request: CompactionRequest): Promise<CompactionOutcome | null> {
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

  async #takePasses(request: CompactionRequest): Promise<CompactionOutcome | null> {
    let gaveWay: Overtaken | null = null;
    for (let passes = 1; ; passes++) {
      try {
        const result = await this.#run(request);
        if (result !== null) return { passes, ...result };
        // Nothing is due any more: what the pass before would have cleaned was removed.
        return gaveWay && { gaveWayTo: gaveWay.by, passes: passes - 1 };
      } catch (problem) {
        if (!(problem instanceof Overtaken)) throw problem;
        gaveWay = problem;
        if (gaveWay.by !== "removal" || passes === PASSES_MAX) return { gaveWayTo: gaveWay.by, passes };
      }
    }
  }

  async #run(request: CompactionRequest): Promise<PassResult | CompactionGaveWay | null> {
    const due = dueCompaction(this.#parts, request);
    if (due === null) return null;
    if (due.plan === null) return this.#held(due);
    const { env, place } = this.#parts.context;
    env.trace({ kind: "compaction_started", ...place, ...due.facts });
    this.#pass = new CompactionPass(this.#parts, request, due.plan);
    try {
      return await this.#pass.run();
    } catch (problem) {
      const reason = problem instanceof Error ? problem.message : String(problem);
      env.trace({ kind: "compaction_abandoned", ...place, reason });
      throw problem;
    }
  }

  /** Whether it was told already that what waits for that time is held. */
  hasTold(horizonMs: number): boolean {
    return this.#toldHorizonMs === horizonMs;
  }

  /** Told once, however often it is asked for meanwhile. */
  #held({ firstDirtyOffset, horizonMs, copiedEnd }: HeldCompaction): CompactionGaveWay {
    const { env, place } = this.#parts.context;
    if (!this.hasTold(horizonMs))
      env.trace({ kind: "tombstones_held", ...place, firstDirtyOffset, copiedEnd });
    this.#toldHorizonMs = horizonMs;
    return { gaveWayTo: "replicas", passes: 0 };
  }
}
