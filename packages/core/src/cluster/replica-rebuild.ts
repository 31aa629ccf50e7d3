/**
 * A copy whose log cannot be opened, made anew so that it can be fetched again from its leader.
 *
 * Invariant: what is set aside is never taken for a partition's folder, and each copy is set aside under a name of its own.
 * Never: a file of the old copy removed. Its folder gets another name, and whoever owns the disk decides. What an attempt made
 * that then failed is not set aside: nobody's records were in it.
 */

import { answeringForDisk, isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import { holdsRecords } from "../log/inspection/folder-survey.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { Broker } from "./broker.ts";
import { removePartitionFolder } from "./partition-folder.ts";
import type { StepParts } from "./replication-steps.ts";

export class ReplicaRebuild {
  readonly #parts: StepParts;
  readonly #env: Env;
  /** Folders of attempts that failed, which the disk would not give back, each with what is set aside for it. */
  readonly #halfMade = new Map<string, string | null>();

  constructor(parts: StepParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /** Throws STORAGE_ERROR. The copy is empty afterwards, and is fetched from its leader in rounds. */
  rebuild({ place }: PartitionReplicaSet, copy: Replica): void {
    const { brokers, keeper } = this.#parts;
    const broker = brokers.get(copy.brokerId);
    const topic = keeper.catalogue.require(place.topic);
    answeringForDisk(() => {
      broker.highWatermarks.lower(topic.topicId, place.partition, 0);
      broker.dropLog(place);
      const aside = this.#makeRoom(broker, place);
      try {
        const log = broker.openLog(topic, place.partition, { create: true });
        broker.names.sync();
        if (aside !== null) this.#tell(broker, place, aside);
        copy.attach(log, 0);
      } catch (problem) {
        if (isRefusal(problem)) this.#undo(broker, place, aside);
        throw problem;
      }
    });
  }

  /** Returns what is set aside, `null` where nothing was there. */
  #makeRoom(broker: Broker, place: TopicPartition): string | null {
    const { disk } = this.#env;
    const folder = broker.folderOf(place);
    const before = this.#halfMade.get(folder);
    // A start may have opened it, and records have come since.
    const isHalfMade = () => disk.stat(folder) === null || !holdsRecords(disk, folder);
    if (before !== undefined && isHalfMade()) this.#takeBack(folder, before);
    this.#halfMade.delete(folder);
    if (disk.stat(folder) === null) return null;
    const path = this.#freeName(folder);
    disk.rename(folder, path);
    return path;
  }

  /** Ends in a number behind a dot, as no folder of a partition does: otherwise the next start might clear it. */
  #freeName(folder: string): string {
    const { disk, clock } = this.#env;
    const stem = `${folder}.set-aside-${clock.nowMs()}`;
    let nth = 1;
    while (disk.stat(`${stem}.${nth}`) !== null) nth++;
    return `${stem}.${nth}`;
  }

  #tell({ brokerId }: Broker, place: TopicPartition, path: string): void {
    this.#env.trace({ kind: "replica_set_aside", brokerId, ...place, path });
  }

  #undo(broker: Broker, place: TopicPartition, aside: string | null): void {
    const folder = broker.folderOf(place);
    broker.dropLog(place);
    this.#halfMade.set(folder, aside);
    try {
      this.#takeBack(folder, aside);
      this.#halfMade.delete(folder);
    } catch (problem) {
      if (!isRefusal(problem)) throw problem;
    }
  }

  /**
   * The old copy has its name again: where the sync of the folder has failed, no later one makes its other name durable, so that the
   * next attempt has to give it one anew.
   */
  #takeBack(folder: string, aside: string | null): void {
    const { disk } = this.#env;
    removePartitionFolder(disk, folder);
    if (aside !== null && disk.stat(aside) !== null) disk.rename(aside, folder);
  }
}
