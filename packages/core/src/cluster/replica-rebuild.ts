/**
 * A copy whose log cannot be opened, made anew so that it can be fetched again from its leader.
 *
 * Invariant: what is set aside is never taken for a partition's folder, and each copy is set aside under a name of its own.
 * Never: a file of the old copy removed. Its folder gets another name, and whoever owns the disk decides. What an attempt made
 * that then failed is not set aside: nobody's records were in it.
 */

import { answeringForDisk, isRefusal } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { TopicPartition } from "../replica/topic-partition.ts";
import type { Broker } from "./broker.ts";
import { removePartitionFolder } from "./partition-folder.ts";
import type { StepParts } from "./replication-steps.ts";

export class ReplicaRebuild {
  readonly #parts: StepParts;
  readonly #env: Env;
  /** Folders of attempts that failed, which the disk would not give back. */
  readonly #halfMade = new Set<string>();

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
      this.#makeRoom(broker, place);
      try {
        const log = broker.openLog(topic, place.partition, { create: true });
        broker.names.sync();
        copy.attach(log, 0);
      } catch (problem) {
        if (isRefusal(problem)) this.#undo(broker, place);
        throw problem;
      }
    });
  }

  #makeRoom(broker: Broker, place: TopicPartition): void {
    const { disk, trace } = this.#env;
    const folder = broker.folderOf(place);
    if (this.#halfMade.has(folder)) removePartitionFolder(disk, folder);
    this.#halfMade.delete(folder);
    if (disk.stat(folder) === null) return;
    const path = this.#freeName(folder);
    disk.rename(folder, path);
    trace({ kind: "replica_set_aside", brokerId: broker.brokerId, ...place, path });
  }

  /** Ends in a number behind a dot, as no folder of a partition does: otherwise the next start might clear it. */
  #freeName(folder: string): string {
    const { disk, clock } = this.#env;
    const stem = `${folder}.set-aside-${clock.nowMs()}`;
    let nth = 1;
    while (disk.stat(`${stem}.${nth}`) !== null) nth++;
    return `${stem}.${nth}`;
  }

  #undo(broker: Broker, place: TopicPartition): void {
    const folder = broker.folderOf(place);
    broker.dropLog(place);
    try {
      removePartitionFolder(this.#env.disk, folder);
    } catch (problem) {
      if (!isRefusal(problem)) throw problem;
      this.#halfMade.add(folder);
    }
  }
}
