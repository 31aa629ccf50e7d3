/**
 * A copy whose log cannot be opened, made anew so that it can be fetched again from its leader.
 *
 * Never: a file of the old copy removed. Its folder gets another name, and whoever owns the disk decides.
 */

import { answeringForDisk } from "../env/disk-answer.ts";
import type { Env } from "../env/env.ts";
import type { Replica } from "../replica/replica.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { StepParts } from "./replication-steps.ts";

export class ReplicaRebuild {
  readonly #parts: StepParts;
  readonly #env: Env;

  constructor(parts: StepParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /** Throws STORAGE_ERROR. The copy is empty afterwards, and is fetched from its leader in rounds. */
  rebuild({ place }: PartitionReplicaSet, copy: Replica): void {
    const { brokers, keeper } = this.#parts;
    const broker = brokers.get(copy.brokerId);
    const topic = keeper.catalogue.require(place.topic);
    const folder = broker.folderOf(place);
    const { disk, clock } = this.#env;
    answeringForDisk(() => {
      broker.highWatermarks.lower(topic.topicId, place.partition, 0);
      broker.dropLog(place);
      if (disk.stat(folder) !== null) {
        const aside = `${folder}.set-aside-${clock.nowMs()}`;
        disk.rename(folder, aside);
        this.#env.trace({ kind: "replica_set_aside", brokerId: copy.brokerId, ...place, path: aside });
      }
      const log = broker.openLog(topic, place.partition, { create: true });
      disk.syncFolder(broker.folder);
      copy.attach(log, 0);
    });
  }
}
