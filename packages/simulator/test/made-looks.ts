/** Looks at a partition made by hand, one after another. */
import { Verdict } from "../src/checkers/checker.ts";
import { type BatchLook, LogMirror } from "../src/checkers/state/log-mirror.ts";
import type { EpochLook, PartitionLook, ReplicaLook } from "../src/checkers/state/partition-look.ts";
import { type StateCheckers, stateCheckers } from "../src/checkers/state-checkers.ts";

export const PLACE = "orders/0";

/** A plain batch of one record of epoch 0, unless said otherwise; its crc tells what is in it. */
export function batch(baseOffset: number, changes: Partial<BatchLook> = {}): BatchLook {
  return {
    baseOffset,
    nextOffset: baseOffset + 1,
    leaderEpoch: 0,
    crc: 1000 + baseOffset,
    producerId: -1,
    producerEpoch: -1,
    baseSequence: -1,
    transactional: false,
    control: null,
    recordCount: 1,
    deleteHorizonMs: null,
    records: null,
    ...changes,
  };
}

/** Of an idempotent producer. */
export function sequenced(baseOffset: number, baseSequence: number, producerEpoch = 0): BatchLook {
  return batch(baseOffset, { producerId: 7, producerEpoch, baseSequence });
}

export function inTransaction(baseOffset: number, producerEpoch = 0): BatchLook {
  return { ...sequenced(baseOffset, -1, producerEpoch), transactional: true };
}

export function marker(baseOffset: number, control: "commit" | "abort", producerEpoch = 1): BatchLook {
  return { ...sequenced(baseOffset, -1, producerEpoch), transactional: true, control };
}

export interface MadeReplica {
  readonly batches?: readonly BatchLook[];
  readonly logStartOffset?: number;
  readonly highWatermark?: number;
  readonly flushedOffset?: number;
  readonly epochs?: readonly EpochLook[];
  readonly isBeingCut?: boolean;
  readonly compactedTo?: number;
  readonly compactedFrom?: readonly BatchLook[];
}

export class MadeLooks {
  readonly verdict = new Verdict();
  readonly #checkers: StateCheckers = stateCheckers();
  readonly #mirrors = new Map<number, LogMirror>();

  /** Three replicas by default, of which 1 leads in epoch 0, and everything is visible. */
  look(replicas: Readonly<Record<number, MadeReplica>>, changes: Partial<PartitionLook> = {}): void {
    this.verdict.run(this.#checkers.all, this.made(replicas, changes));
  }

  acknowledged(
    replicas: Readonly<Record<number, MadeReplica>>,
    answer: { baseOffset: number; nextOffset: number },
    changes: Partial<PartitionLook> = {},
    { before = [] }: { readonly before?: readonly Partial<PartitionLook>[] } = {},
  ): void {
    const { acknowledgedHeld } = this.#checkers;
    const look = this.made(replicas, changes);
    const looks = before.map((each) => ({ ...look, ...each }));
    acknowledgedHeld.acknowledged(
      { look, before: looks, ...answer },
      this.verdict.judgeOf(acknowledgedHeld.name),
    );
  }

  made(replicas: Readonly<Record<number, MadeReplica>>, changes: Partial<PartitionLook> = {}): PartitionLook {
    const made = Object.entries(replicas).map(([id, replica]) => this.#replica(Number(id), replica));
    const ids = made.map(({ brokerId }) => brokerId);
    const highWatermark = Math.min(...made.map(({ logEndOffset }) => logEndOffset));
    return {
      place: PLACE,
      life: 1,
      leaderId: 1,
      leaderEpoch: 0,
      replicaIds: ids,
      inSyncReplicas: ids,
      highWatermark,
      lastStableOffset: changes.highWatermark ?? highWatermark,
      isCompacted: false,
      minInsyncReplicas: 1,
      takesWrites: true,
      waitsForDisk: true,
      isNoted: true,
      nowMs: 0,
      monotonicMs: 0,
      replicaLagTimeMs: 10,
      uncleanPromotions: 0,
      cleanEnds: 0,
      replicas: made,
      unreadable: [],
      unopened: [],
      isHarmed: false,
      ...changes,
    };
  }

  #replica(brokerId: number, { batches = [], ...facts }: MadeReplica): ReplicaLook {
    const mirror = this.#mirrors.get(brokerId) ?? new LogMirror();
    this.#mirrors.set(brokerId, mirror);
    const goesOn = mirror.batches.every((each, index) => batches[index]?.crc === each.crc);
    if (goesOn) mirror.add(batches.slice(mirror.batches.length));
    else mirror.replace(batches);
    const logEndOffset = batches.at(-1)?.nextOffset ?? 0;
    const epochs = new Map<number, EpochLook>();
    for (const { leaderEpoch, baseOffset } of batches)
      if (!epochs.has(leaderEpoch)) epochs.set(leaderEpoch, { leaderEpoch, startOffset: baseOffset });
    return {
      brokerId,
      logStartOffset: 0,
      logEndOffset,
      flushedOffset: logEndOffset,
      highWatermark: 0,
      isBeingCut: false,
      epochs: [...epochs.values()],
      mirror,
      compactedTo: 0,
      compactedFrom: null,
      ...facts,
    };
  }
}
