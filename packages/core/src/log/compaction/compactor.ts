/**
 * Compaction of one log: whether a pass is due, and that there is one at a time.
 *
 * Owns: the pass that runs. Invariants: whoever asks while one runs shares it; a pass that met the removal of the oldest
 * segments (retention, deleted records) is begun anew over the rest at once, so that frequent removals do not starve it.
 * Never: more than PASSES_MAX passes for one call.
 */

import { onDisk } from "../../env/disk-answer.ts";
import type { LogParts } from "../parts/log-parts.ts";
import type { Segment } from "../segment/segment.ts";
import { CompactionPass, Overtaken } from "./compaction-pass.ts";
import { type CompactionFacts, isHeld, planCompaction } from "./compaction-plan.ts";
import type {
  CompactionGaveWay,
  CompactionOutcome,
  CompactionRequest,
  PassResult,
} from "./compaction-request.ts";

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
    const { context, segments, keeper, producers } = this.#parts;
    const { config, env, place } = context;
    const { firstDirtyOffset, nextHorizonMs, logStartOffset } = keeper.manifest;
    const { nowMs, copiedEnd, minCleanableDirtyRatio = config.minCleanableDirtyRatio } = request;
    // Nobody knows yet whether the records of an open transaction count.
    const unstable = producers.transactions.firstUnstableOffset(request.cleanEnd, logStartOffset);
    const cleanEnd = Math.min(request.cleanEnd, unstable ?? request.cleanEnd);
    const facts = {
      ...{ firstDirtyOffset, cleanEnd, minCleanableDirtyRatio, nextHorizonMs, copiedEnd, nowMs },
      minCompactionLagMs: config.minCompactionLagMs,
      maxCompactionLagMs: config.maxCompactionLagMs,
      sealed: segments.sealed(),
    };
    if (!config.compacts) return null;
    // Of a setting that asks when a segment began, it is read in its first batch.
    const plan = onDisk(context.folder, () => planCompaction(facts));
    if (plan === null) return isHeld(facts) ? this.#held(facts) : null;
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

  /** Told once, however often it is asked for meanwhile. */
  #held({ firstDirtyOffset, nextHorizonMs, copiedEnd }: CompactionFacts<Segment>): CompactionGaveWay {
    const { env, place } = this.#parts.context;
    if (this.#toldHorizonMs !== nextHorizonMs)
      env.trace({ kind: "tombstones_held", ...place, firstDirtyOffset, copiedEnd });
    this.#toldHorizonMs = nextHorizonMs;
    return { gaveWayTo: "replicas", passes: 0 };
  }
}
