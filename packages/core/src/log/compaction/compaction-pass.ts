/**
 * One pass of a compaction: surveys the keys, writes what stays into new files beside the old ones, and swaps them by one
 * commit of the manifest.
 *
 * Owns: what the survey found; the new files are in rewritten-files.ts.
 * Invariants: the log is what it was before until the commit counts, and what it is to be from then on; whoever appends or
 * reads meanwhile never notices; every byte that is copied was checked.
 * Never: a file of the log changed; the disk touched once the log was closed, or a sync has failed.
 */
import { DiskError } from "../../env/disk.ts";
import { CrashSignal } from "../../env/fault-order.ts";
import { storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { UINT32_MAX } from "../indexes/offset-index.ts";
import { findAborted } from "../lookup/aborted-search.ts";
import type { LogParts } from "../parts/log-parts.ts";
import type { Segment } from "../segment/segment.ts";
import { BatchRetention } from "./batch-retention.ts";
import { bytesOf, type CompactionPlan, groupForMerging } from "./compaction-plan.ts";
import type { CompactionRequest, PassResult, Precedence } from "./compaction-request.ts";
import { nextGeneration, swapped } from "./compaction-swap.ts";
import { KeyOffsetMap } from "./key-offset-map.ts";
import { surveyKeys } from "./key-survey.ts";
import { Pace } from "./pace.ts";
import { ProducerTails } from "./producer-tails.ts";
import { RewrittenFiles } from "./rewritten-files.ts";
import { TransactionWatch } from "./transaction-watch.ts";

/** Something else has changed the log, or closes it: the pass has done nothing. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
  /** Of a `removal`, which takes the oldest segments: what is left can be compacted at once. */
  readonly by: Precedence;

  constructor(by: Precedence, message: string) {
    super(message);
    this.by = by;
  }
}

interface Replacement {
  readonly from: readonly Segment[];
  readonly to: Segment;
}

export class CompactionPass {
  readonly #parts: LogParts;
  readonly #request: CompactionRequest;
  readonly #firstDirtyOffset: number;
  readonly #inputs: readonly Segment[];
  readonly #dirty: readonly Segment[];
  readonly #latest: KeyOffsetMap;
  readonly #pace: Pace;
  readonly #files: RewrittenFiles;
  readonly #replacements: Replacement[] = [];
  readonly #unsealings: number;
  #isStopped = false;

  constructor(parts: LogParts, request: CompactionRequest, plan: CompactionPlan<Segment>) {
    const { manifest } = parts.keeper;
    this.#parts = parts;
    this.#request = request;
    this.#inputs = [...plan.clean, ...plan.dirty];
    this.#dirty = plan.dirty;
    this.#unsealings = parts.segments.unsealings;
    const baseOffset = this.#inputs[0]?.baseOffset ?? 0;
    this.#firstDirtyOffset = Math.max(manifest.firstDirtyOffset, baseOffset);
    const keysMax = Math.max(0, (this.#inputs.at(-1)?.nextOffset ?? 0) - this.#firstDirtyOffset);
    const { bufferBytes, pause } = request;
    const { chunkBytes = LIMITS.compactionChunkBytes } = request;
    this.#latest = new KeyOffsetMap({ bufferBytes, keysMax }, parts.context.env.random);
    this.#pace = new Pace(chunkBytes, pause, () => this.#requireGoingOn());
    this.#files = new RewrittenFiles(parts.context, {
      generation: nextGeneration(manifest),
      pace: this.#pace,
    });
  }

  /** The pass ends where it rests next. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Rejects Overtaken, STORAGE_ERROR, BROKER_FAILED, and with what a pause threw; then the log is what it was. */
  async run(): Promise<PassResult> {
    try {
      return await this.#run();
    } catch (problem) {
      // A process that is dead removes nothing.
      if (!(problem instanceof CrashSignal)) this.#files.discard(this.#parts.state);
      throw problem instanceof DiskError ? storageError(problem, { file: problem.path }) : problem;
    }
  }

  async #run(): Promise<PassResult> {
    const { context, producers } = this.#parts;
    const transactions = this.#watch();
    const coveredEnd = await surveyKeys(
      {
        context,
        latest: this.#latest,
        transactions,
        firstDirtyOffset: this.#firstDirtyOffset,
        pace: this.#pace,
      },
      this.#dirty,
    );
    const retention = new BatchRetention({
      latest: this.#latest,
      coveredEnd,
      copiedEnd: this.#request.copiedEnd,
      nowMs: this.#request.nowMs,
      deleteRetentionMs: context.config.deleteRetentionMs,
      frameBytesMax: context.frameBytesMax,
      compression: context.env.compression,
      onUnpacked: (bytes) => this.#pace.note(bytes),
      transactions,
      producers: new ProducerTails((producerId) => producers.get(producerId), coveredEnd),
    });
    const covered = this.#inputs.filter(({ baseOffset }) => baseOffset < coveredEnd);
    const { segmentBytes } = context.config;
    for (const group of groupForMerging(covered, { segmentBytes, offsetsMax: UINT32_MAX }))
      await this.#replace(group, retention);
    await this.#syncNames();
    return this.#parts.turns.take(() => this.#swap(covered, coveredEnd, retention));
  }

  /** As they are before the pass rests for the first time: what is cleaned has ended by then. */
  #watch(): TransactionWatch {
    const { segments, producers } = this.#parts;
    const fromOffset = this.#inputs[0]?.baseOffset ?? 0;
    const endOffset = this.#inputs.at(-1)?.nextOffset ?? 0;
    const aborted = findAborted(segments, { fromOffset, endOffset });
    return new TransactionWatch({ aborted, open: producers.transactions.open(0) });
  }

  async #replace(group: readonly Segment[], retention: BatchRetention): Promise<void> {
    const rewrite = await this.#files.rewrite(group, retention);
    if (rewrite === null) return;
    await this.#synced("sync", () => rewrite.sync());
    rewrite.segment.writeIndex();
    rewrite.segment.release();
    this.#replacements.push({ from: group, to: rewrite.segment });
  }

  /** The manifest must not be durable before the names of the files that it will name. */
  async #syncNames(): Promise<void> {
    if (this.#replacements.length === 0) return;
    const { env, folder } = this.#parts.context;
    await this.#synced("folder_sync", () => env.disk.syncFolderLater(folder));
  }

  /** A sync that failed makes the log take nothing more, whatever it was for. */
  async #synced(what: "sync" | "folder_sync", sync: () => Promise<void>): Promise<void> {
    const { env, place } = this.#parts.context;
    try {
      await env.faults.waitAt(`log.compact.before_${what}`, place);
      this.#requireGoingOn();
      await sync();
      await env.faults.waitAt(`log.compact.after_${what}`, place);
    } catch (problem) {
      throw this.#parts.failure.ofSync(problem);
    }
    this.#requireGoingOn();
  }

  /** Within a turn: nobody else changes the segments until the commit counts. */
  async #swap(
    covered: readonly Segment[],
    coveredEnd: number,
    { counts }: BatchRetention,
  ): Promise<PassResult> {
    const { keeper, segments } = this.#parts;
    this.#requireGoingOn();
    const replaced = this.#replacements.flatMap(({ from }) => from);
    const written = this.#replacements.map(({ to }) => to);
    const bytesBefore = bytesOf(covered);
    const { nextHorizonMs, ...records } = counts;
    const result: PassResult = {
      ...records,
      firstDirtyOffset: coveredEnd,
      isComplete: coveredEnd === this.#inputs.at(-1)?.nextOffset,
      segmentsBefore: covered.length,
      segmentsAfter: covered.length - replaced.length + written.length,
      bytesBefore,
      bytesAfter: bytesBefore - bytesOf(replaced) + bytesOf(written),
      keys: this.#latest.keys,
    };
    const swaps = this.#replacements.map(({ from, to }) => ({
      from: from.map(({ extent }) => extent),
      to: to.extent,
    }));
    await keeper.commit(
      (manifest) => swapped(manifest, swaps, { firstDirtyOffset: coveredEnd, nextHorizonMs }),
      () => {
        for (const { from, to } of this.#replacements) segments.replace(from, to);
        this.#files.keep();
        this.#trace(result);
      },
    );
    return result;
  }

  #trace({ isComplete, ...numbers }: PassResult): void {
    const { env, place } = this.#parts.context;
    env.trace({ kind: "compacted", ...place, ...numbers });
  }

  #requireGoingOn(): void {
    this.#parts.state.requireWritable();
    if (this.#isStopped) throw new Overtaken("close", "the log is being closed");
    const { segments } = this.#parts;
    if (segments.unsealings !== this.#unsealings)
      throw new Overtaken("truncation", "segments were cut meanwhile");
    if (!segments.areSealed(this.#inputs)) throw new Overtaken("removal", "segments were removed meanwhile");
  }
}
