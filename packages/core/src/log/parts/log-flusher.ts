/**
 * What makes a log durable: one round for all that wait, which then tells the manifest how far it got.
 *
 * Owns: the flushed offset, which names in the folder are not durable yet.
 * Invariants: everything below `flushedOffset` survives a power cut; the manifest never says more than that; segments are
 * sealed in order; a round has its turn (turns.ts).
 * Never: a sync tried again after one that failed; an acknowledgement for what such a sync covered.
 */
import { assert } from "../../assert.ts";
import { isDiskFull } from "../../env/disk-answer.ts";
import { BrokerError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { LogContext } from "../context/log-context.ts";
import type { LogState } from "../context/log-state.ts";
import { checkpointOutcome } from "../files/checkpoint-outcome.ts";
import { epochsUpTo, type LeaderEpochs } from "../manifest/leader-epochs.ts";
import { type RecoveryPoint, recoveryPointAt } from "../manifest/manifest.ts";
import type { ProducerSnapshot } from "../producers/producer-snapshot.ts";
import type { Segment } from "../segment/segment.ts";
import type { SegmentList } from "../segment/segment-list.ts";
import { GroupCommit } from "./group-commit.ts";
import type { LogProducers } from "./log-producers.ts";
import type { ManifestKeeper } from "./manifest-keeper.ts";
import type { SyncFailure } from "./sync-failure.ts";
import type { Turns } from "./turns.ts";

export interface FlusherParts {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly state: LogState;
  readonly turns: Turns;
  readonly failure: SyncFailure;
  readonly keeper: ManifestKeeper;
  readonly epochs: LeaderEpochs;
  readonly producers: LogProducers;
}

/** What a manifest will say, as it was in the instant from which on the disk was asked to keep it. */
interface Sealing {
  readonly point: RecoveryPoint;
  readonly snapshot: ProducerSnapshot | null;
}

export class LogFlusher {
  readonly #context: LogContext;
  readonly #segments: SegmentList;
  readonly #state: LogState;
  readonly #turns: Turns;
  readonly #failure: SyncFailure;
  readonly #keeper: ManifestKeeper;
  readonly #epochs: LeaderEpochs;
  readonly #producers: LogProducers;
  readonly #group: GroupCommit;
  #flushedOffset: number;
  /** Files that were made in the folder, and how many of their names are durable. */
  #names = 0;
  #syncedNames = 0;

  constructor({ context, segments, state, turns, failure, keeper, epochs, producers }: FlusherParts) {
    this.#context = context;
    this.#segments = segments;
    this.#state = state;
    this.#turns = turns;
    this.#failure = failure;
    this.#keeper = keeper;
    this.#epochs = epochs;
    this.#producers = producers;
    this.#group = new GroupCommit(turns, (waiters) => this.#round(waiters));
    this.#flushedOffset = keeper.manifest.recoveryPoint.offset;
    // A crash may have left segments whose names only the system's memory holds.
    this.#names = segments.unsealed().length - 1;
  }

  get flushedOffset(): number {
    return this.#flushedOffset;
  }

  /** The log ends elsewhere now, every name in its folder is durable, and all below `flushedOffset`. */
  noteEnd(flushedOffset: number): void {
    this.#flushedOffset = flushedOffset;
    this.#syncedNames = this.#names;
  }

  /** A segment was begun. Where nobody else flushes, and when too many wait, there is a flush without anybody's asking. */
  noteNewFile(): void {
    this.#names++;
    const unsealedMax = this.#context.flushesAtRoll ? 0 : LIMITS.unsealedSegmentsMax;
    if (this.#names - this.#syncedNames <= unsealedMax) return;
    // Who appends next, or asks for a flush, is told what went wrong.
    this.#group.join().catch(() => {});
  }

  /** Resolves when everything that was appended before the call is durable. Rejects BROKER_FAILED, STORAGE_ERROR. */
  flush(): Promise<void> {
    return this.#group.join();
  }

  /**
   * Flushes, and leaves a folder of which nothing has to be read when it is opened again. Rejects as flush() does; where the disk
   * is full with STORAGE_ERROR as well, and then everything is durable all the same.
   */
  async close(): Promise<void> {
    await this.flush();
    await this.#turns.take(async () => {
      const { active } = this.#segments;
      active.writeIndex();
      const sealing = this.#sealing(recoveryPointAt(active.extent));
      await this.#seal(sealing).catch((problem: unknown) => {
        if (problem instanceof BrokerError && isDiskFull(problem)) this.#traceDelay(sealing, problem);
        throw problem;
      });
    });
  }

  /** Everything so far becomes durable, the manifest says so, and all rolled segments are sealed. Only within a turn. */
  async sealAll(): Promise<void> {
    assert(this.#turns.isTaken, "segments were to be sealed out of turn");
    // Taken now: what is appended while the disk works lies behind the point.
    const sealing = this.#sealing(recoveryPointAt(this.#segments.active.extent));
    await this.#round(0);
    const { recoveryPoint } = this.#keeper.manifest;
    const { offset, segmentBaseOffset } = sealing.point;
    if (recoveryPoint.offset < offset || recoveryPoint.segmentBaseOffset < segmentBaseOffset)
      await this.#seal(sealing);
  }

  async #round(waiters: number): Promise<void> {
    this.#state.requireWritable();
    if (this.isDurable) return;
    const unsealed = this.#segments.unsealed();
    const { nextOffset } = this.#segments.active;
    const point = recoveryPointAt(this.#segments.active.extent);
    // Taken now: what is appended while the disk works lies behind the point.
    const sealing = unsealed.length > 1 || this.#lags(point) ? this.#sealing(point) : null;
    const bytes = unsealed.reduce((sum, segment) => sum + segment.unsyncedBytes, 0);
    try {
      for (const segment of unsealed) await this.#syncSegment(segment);
      await this.#syncNames();
    } catch (problem) {
      throw this.#failure.ofSync(problem);
    }
    this.#flushedOffset = nextOffset;
    this.#context.env.trace({
      kind: "flushed",
      ...this.#context.place,
      logEndOffset: nextOffset,
      bytes,
      waiters,
    });
    if (sealing !== null) await this.#sealOrDelay(sealing);
  }

  /** Whether a flush has nothing to do. */
  get isDurable(): boolean {
    const unsealed = this.#segments.unsealed();
    return (
      this.#flushedOffset === this.#segments.active.nextOffset &&
      unsealed.length === 1 &&
      this.#names === this.#syncedNames &&
      unsealed.every(({ needsSync }) => !needsSync)
    );
  }

  /** Whether a crash would make recovery read too much that is durable already. */
  #lags({ segmentBaseOffset, position }: RecoveryPoint): boolean {
    const { recoveryPoint } = this.#keeper.manifest;
    const known = recoveryPoint.segmentBaseOffset === segmentBaseOffset ? recoveryPoint.position : 0;
    return position - known >= LIMITS.recoveryLagBytesMax;
  }

  async #syncSegment(segment: Segment): Promise<void> {
    if (!segment.needsSync) return;
    const { env, place } = this.#context;
    await env.faults.waitAt("log.flush.before_sync", place);
    this.#state.requireOpen();
    await segment.sync();
    this.#state.requireOpen();
    segment.requireInPlace();
    await env.faults.waitAt("log.flush.after_sync", place);
    this.#state.requireOpen();
  }

  async #syncNames(): Promise<void> {
    const names = this.#names;
    if (names === this.#syncedNames) return;
    const { env, folder, place } = this.#context;
    await env.faults.waitAt("log.flush.before_folder_sync", place);
    this.#state.requireOpen();
    await env.disk.syncFolderLater(folder);
    this.#state.requireOpen();
    this.#syncedNames = names;
    await env.faults.waitAt("log.flush.after_folder_sync", place);
    this.#state.requireOpen();
  }

  /** A manifest that could not be written is no reason to refuse what is durable: the next round tries again. */
  async #sealOrDelay(sealing: Sealing): Promise<void> {
    try {
      await this.#seal(sealing);
    } catch (problem) {
      if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unchanged") throw problem;
      this.#traceDelay(sealing, problem);
    }
  }

  #traceDelay({ point: { segmentBaseOffset } }: Sealing, { message: problem }: BrokerError): void {
    const { env, place } = this.#context;
    env.trace({ kind: "seal_delayed", ...place, segmentBaseOffset, problem });
  }

  /** Everything below `point` is durable: the manifest says so, and segments before that of the point are sealed. */
  async #seal({ point, snapshot }: Sealing): Promise<void> {
    const { env, place } = this.#context;
    const { producerSnapshots } = this.#keeper.manifest;
    await this.#writeSnapshot(snapshot);
    const rolled = this.#segments.unsealed().filter(({ baseOffset }) => baseOffset < point.segmentBaseOffset);
    for (const segment of rolled) segment.writeIndex();
    const seal = () => {
      this.#segments.seal(rolled.length);
      for (const { baseOffset, nextOffset, sizeBytes } of rolled)
        env.trace({ kind: "sealed", ...place, segmentBaseOffset: baseOffset, nextOffset, bytes: sizeBytes });
    };
    await this.#keeper.commit(
      (manifest) => ({
        ...manifest,
        sealed: [...manifest.sealed, ...rolled.map(({ extent }) => extent)],
        recoveryPoint: point,
        producerSnapshots: this.#producers.snapshots.named(snapshot, manifest.producerSnapshots),
        leaderEpochs: epochsUpTo(this.#epochs.entries, point.offset),
      }),
      seal,
    );
    this.#producers.snapshots.removeUnnamed(producerSnapshots, this.#keeper.manifest.producerSnapshots);
  }

  #sealing(point: RecoveryPoint): Sealing {
    return { point, snapshot: this.#producers.capture(point.offset) };
  }

  /** A snapshot whose name may not survive a power cut is as bad as a manifest of which that holds. */
  async #writeSnapshot(snapshot: ProducerSnapshot | null): Promise<void> {
    try {
      await this.#producers.snapshots.write(snapshot, this.#keeper.manifest.producerSnapshots);
    } catch (problem) {
      throw this.#failure.ofCommit(problem);
    }
    this.#state.requireOpen();
  }
}
