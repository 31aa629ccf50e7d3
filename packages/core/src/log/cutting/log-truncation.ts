/**
 * How the end of a log moves back, and how a log begins anew. For a replica whose log has parted from its leader's.
 *
 * Invariants: only whole batches go, so that the log ends at the offset that was asked for or before it; segments that stay
 * keep their bounds; what was cut is durably gone before anything else is appended, since otherwise a power cut could bring
 * it back behind what was written in its place. A crash in the middle leaves the log as it was, or cut somewhere in between.
 * Never: more read or written than what is cut and one segment; an append while this is under way.
 */
import { DiskError, type DiskFolder, isOutOfDescriptors } from "../../env/disk.ts";
import { isRefusal, onDiskLater } from "../../env/disk-answer.ts";
import { BrokerError, storageError } from "../../errors.ts";
import { outOfRange } from "../context/log-range.ts";
import { segmentFileName } from "../files/file-names.ts";
import { epochsBelow } from "../manifest/leader-epochs.ts";
import { type Manifest, recoveryPointAt } from "../manifest/manifest.ts";
import { removeObsolete } from "../manifest/obsolete-files.ts";
import { markCut, unmarkCut } from "../parts/cut-mark.ts";
import type { LogParts } from "../parts/log-parts.ts";
import type { RestoredProducers } from "../parts/log-producers.ts";
import { Segment } from "../segment/segment.ts";
import { emptyExtent, type SegmentExtent } from "../segment/segment-extent.ts";
import { extentBelow } from "./segment-cut.ts";

export class LogTruncation {
  readonly #parts: LogParts;
  /** Where the log was cut, once for each time. */
  readonly #cuts: number[] = [];

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  /** How often the log was cut; for requireUncut() later. */
  get cutCount(): number {
    return this.#cuts.length;
  }

  /** Throws FENCED_LEADER_EPOCH when anything below `endOffset` was cut off since there had been `cutCount` cuts. */
  requireUncut(endOffset: number, cutCount: number): void {
    const cutOffset = this.#cuts.slice(cutCount).find((cut) => cut < endOffset);
    if (cutOffset === undefined) return;
    const message = `the log was cut at ${cutOffset}; what had been appended up to ${endOffset} is gone, another leader's records take its place`;
    throw new BrokerError("FENCED_LEADER_EPOCH", message, { offset: endOffset, cut_offset: cutOffset });
  }

  /** See PartitionLog.truncateTo. */
  async truncateTo(offset: number): Promise<void> {
    await this.#inTurn(async () => {
      const { segments, keeper, context } = this.#parts;
      const { logStartOffset } = keeper.manifest;
      const fromOffset = segments.active.nextOffset;
      if (offset < logStartOffset) throw outOfRange(offset, { logStartOffset, logEndOffset: fromOffset });
      if (offset >= fromOffset) return;
      const target = segments.holding(offset);
      const left = extentBelow(target, offset);
      // The batch that holds the start of the log goes as a whole, and nothing is left that may be read.
      if (left.nextOffset < logStartOffset) return await this.#restart(logStartOffset);
      const known = this.#producersAt(left.nextOffset);
      await this.#lower(target, left);
      const cutBytes = await this.#cut(target, left, known);
      const { nextOffset: logEndOffset } = segments.active;
      context.env.trace({ kind: "truncated", ...context.place, fromOffset, logEndOffset, cutBytes });
    });
  }

  /** See PartitionLog.restartAt. */
  async restartAt(offset: number): Promise<void> {
    await this.#inTurn(() => this.#restart(offset));
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const { turns, state } = this.#parts;
    await turns.take(async () => {
      state.requireAppendable();
      await state.withoutAppends(act);
    });
  }

  /** The manifest first: it must never say more than the files hold. */
  async #lower(target: Segment, left: SegmentExtent): Promise<void> {
    const { keeper, segments, epochs, producers } = this.#parts;
    // The names that go may be given again.
    await keeper.clearObsolete(target.baseOffset + 1);
    await keeper.requireDurable();
    const lowered = (manifest: Manifest): Manifest => {
      const isLower = left.nextOffset < manifest.recoveryPoint.offset;
      const known = isLower ? epochs.entries : manifest.leaderEpochs;
      const leaderEpochs = epochsBelow(known, left.nextOffset);
      if (!isLower) return { ...manifest, leaderEpochs };
      const sealed = manifest.sealed.filter(({ baseOffset }) => baseOffset < target.baseOffset);
      const snapshots = manifest.producerSnapshots?.filter((offset) => offset <= left.nextOffset) ?? null;
      const recoveryPoint = recoveryPointAt(left);
      return { ...manifest, sealed, recoveryPoint, producerSnapshots: snapshots, leaderEpochs };
    };
    const before = keeper.manifest.producerSnapshots;
    await keeper.commit(lowered, () => segments.unsealFrom(target));
    producers.snapshots.removeUnnamed(before, keeper.manifest.producerSnapshots);
  }

  /** Once something was cut, the log needs no descriptor any more to make that durable. */
  async #cut(target: Segment, left: SegmentExtent, known: RestoredProducers | null): Promise<number> {
    const { segments, context, state } = this.#parts;
    const folder = await onDiskLater(context.folder, () => context.env.disk.openFolderLater(context.folder));
    try {
      state.requireOpen();
      markCut(context);
      try {
        return this.#cutFiles(target, left);
      } finally {
        await this.#settle(folder, segments.active.nextOffset, known);
      }
    } finally {
      folder.close();
    }
  }

  /** From the end on, so that the log has no hole wherever the disk refuses. Returns how many bytes went. */
  #cutFiles(target: Segment, left: SegmentExtent): number {
    const { context, segments } = this.#parts;
    const { faults } = context.env;
    let cutBytes = target.sizeBytes - left.sizeBytes;
    while (segments.active !== target) {
      const { active } = segments;
      faults.hit("log.truncate.before_remove", context.place);
      cutBytes += active.sizeBytes;
      active.remove();
      segments.dropLast();
      faults.hit("log.truncate.after_remove", context.place);
    }
    faults.hit("log.truncate.before_cut", context.place);
    target.cutTo(left);
    faults.hit("log.truncate.after_cut", context.place);
    return cutBytes;
  }

  /** What was cut so far, all or some of it, is made durable; only then the log goes on. */
  async #settle(folder: DiskFolder, logEndOffset: number, known: RestoredProducers | null): Promise<void> {
    const { context, segments, epochs, flusher, failure, producers, state } = this.#parts;
    this.#cuts.push(logEndOffset);
    // Where the disk refused in the middle, the log ends somewhere else.
    const restored = known?.endOffset === logEndOffset ? known : this.#producersAt(logEndOffset);
    if (restored !== null) producers.adopt(restored);
    epochs.cutTo(logEndOffset);
    try {
      await this.#sync(folder, segments.active);
    } catch (problem) {
      // Not durable, and not to be followed by anything: a power cut could bring back what was cut.
      if (isOutOfDescriptors(problem)) state.goOffline(String(problem));
      throw failure.ofSync(problem);
    }
    unmarkCut(context);
    flusher.noteEnd(Math.min(flusher.flushedOffset, logEndOffset));
  }

  /**
   * What was known of producers when the log ended at `endOffset`; `null` when there is nothing to tell. A log that cannot tell, unless
   * it is because no file can be opened now, is off line. Throws STORAGE_ERROR.
   */
  #producersAt(endOffset: number): RestoredProducers | null {
    const { segments, producers, keeper, state } = this.#parts;
    if (producers.isBlank) return null;
    try {
      return producers.restored(keeper.manifest, { segments: segments.all(), endOffset });
    } catch (problem) {
      const cause = problem instanceof BrokerError ? problem.cause : problem;
      if (isRefusal(problem) && !isOutOfDescriptors(cause)) state.goOffline(problem.message);
      throw problem instanceof DiskError ? storageError(problem, { file: problem.path }) : problem;
    }
  }

  /** The folder first, which gives its descriptor back before the segment's sync takes its turn. */
  async #sync(folder: DiskFolder, segment: Segment): Promise<void> {
    const { context, state } = this.#parts;
    await context.env.faults.waitAt("log.truncate.before_sync", context.place);
    await folder.sync();
    folder.close();
    state.requireOpen();
    if (segment.needsSync) await segment.sync();
    await context.env.faults.waitAt("log.truncate.after_sync", context.place);
    state.requireOpen();
  }

  async #restart(offset: number): Promise<void> {
    const { segments, keeper, context } = this.#parts;
    const fromOffset = segments.active.nextOffset;
    const { logStartOffset } = keeper.manifest;
    // A log that would go over the same offsets again begins with no file that has the name of one to come.
    if (offset < fromOffset) {
      await this.#beginAnew(fromOffset);
      await keeper.clearObsolete(0);
    }
    await this.#beginAnew(offset);
    this.#cuts.push(logStartOffset);
    context.env.trace({ kind: "restarted", ...context.place, fromOffset, logStartOffset: offset });
  }

  /** The log becomes empty, and begins at `offset`: at or behind its end, unless it is empty already. */
  async #beginAnew(offset: number): Promise<void> {
    const { context, segments, keeper, epochs, producers, flusher } = this.#parts;
    const snapshots = keeper.manifest.producerSnapshots;
    const isBegun = segments.active.baseOffset === offset;
    const first = isBegun ? segments.active : new Segment(context, emptyExtent(offset));
    if (!isBegun) this.#create(first);
    await this.#syncFirst(first);
    const gone = segments.all().filter((segment) => segment !== first);
    // One that lies behind the new beginning is empty, and means nothing there.
    const obsolete = gone.filter(({ baseOffset }) => baseOffset < offset).map(segmentFileName);
    const begun = (manifest: Manifest): Manifest => ({
      ...manifest,
      logStartOffset: offset,
      sealed: [],
      recoveryPoint: recoveryPointAt(first.extent),
      producerSnapshots: null,
      nextHorizonMs: null,
      leaderEpochs: [],
      obsolete: [...manifest.obsolete, ...obsolete],
    });
    await keeper.commit(begun, () => {
      segments.restart(first);
      epochs.cutTo(0);
      producers.clear();
      flusher.noteEnd(offset);
    });
    producers.snapshots.removeUnnamed(snapshots, null);
    for (const segment of gone)
      if (segment.baseOffset >= offset) removeObsolete(context, segmentFileName(segment));
  }

  #create(segment: Segment): void {
    const { env, place } = this.#parts.context;
    env.faults.hit("log.restart.before_create", place);
    segment.create();
    try {
      env.faults.hit("log.restart.after_create", place);
    } catch (problem) {
      if (problem instanceof DiskError) segment.discard();
      throw problem;
    }
  }

  async #syncFirst(first: Segment): Promise<void> {
    const { context, failure } = this.#parts;
    try {
      const folder = await context.env.disk.openFolderLater(context.folder);
      await this.#sync(folder, first).finally(() => folder.close());
    } catch (problem) {
      throw failure.ofSync(problem);
    }
  }
}
