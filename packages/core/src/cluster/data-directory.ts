/**
 * The data folder: whose it is, that it is held by us alone, and its files.
 *
 *   meta.properties.json   whose folder it is (identity-file.ts)
 *   metadata.json          topics and their places (metadata-file.ts)
 *   producer-ids.json      which producer ids were given away (producer-ids-file.ts)
 *   broker-<id>/           one broker's logs (broker.ts)
 *   lock                   who holds the folder, for people
 *   reserve                bytes that mean nothing, put by for a full disk (disk-reserve.ts)
 *   snapshots/             what the cluster was at other times: of whoever opens it, and left alone here
 *
 * Owns: the hold.
 * Invariants: a folder is judged (data-folder-files.ts) before it is held and again after, so that what is refused was not
 * touched.
 */
import { posix } from "node:path";
import { type Disk, DiskError, type FolderLock } from "../env/disk.ts";
import { makeDurableFolder } from "../env/durable-folder.ts";
import type { Env } from "../env/env.ts";
import type { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { DataFolderFiles, type FoundCluster } from "./data-folder-files.ts";
import { DataFolderRefused, refusalOf } from "./data-folder-refusal.ts";
import type { ClusterMetadata } from "./metadata-file.ts";
import type { GivenProducerIds } from "./producer-ids-file.ts";

export class DataDirectory {
  readonly folder: string;
  readonly clusterId: string;
  readonly metadataFile: CheckpointFile<ClusterMetadata>;
  /** What the metadata file said when the folder was opened. */
  readonly metadata: ClusterMetadata;
  readonly producerIdsFile: CheckpointFile<GivenProducerIds>;
  /** The same for the file of producer ids. */
  readonly producerIds: GivenProducerIds;
  readonly #lock: FolderLock;

  private constructor(files: DataFolderFiles, found: FoundCluster, lock: FolderLock) {
    this.folder = files.folder;
    this.clusterId = found.clusterId;
    this.metadataFile = files.metadata;
    this.metadata = found.metadata;
    this.producerIdsFile = files.producerIds;
    this.producerIds = found.producerIds;
    this.#lock = lock;
  }

  /**
   * Holds `folder` and reads its identity and metadata; an empty or missing folder becomes a new cluster's. Rejects with
   * DataFolderRefused.
   */
  static async open(folder: string, env: Env): Promise<DataDirectory> {
    const files = new DataFolderFiles(folder, env);
    try {
      files.inspect();
      makeDurableFolder(env.disk, folder);
      const lock = await env.disk.lock(folder, env.clock.nowMs());
      try {
        // Another process may have been faster between the look and the hold.
        const there = files.inspect();
        // Only the system's memory may hold what a process that died has renamed, and everybody goes by it from here on.
        if (there !== null) env.disk.syncFolder(folder);
        const found = files.raise(there ?? files.found());
        return new DataDirectory(files, found, lock);
      } catch (problem) {
        await releaseQuietly(lock);
        throw problem;
      }
    } catch (problem) {
      throw refusalOf(problem, folder);
    }
  }

  /** Throws DataFolderRefused unless `brokerIds` names every broker that holds a partition here. */
  requireBrokers(brokerIds: readonly number[]): void {
    for (const { topic, partitions } of [...this.metadata.topics, ...this.metadata.deletions]) {
      const missing = partitions.flatMap(({ replicas }) => replicas).find((id) => !brokerIds.includes(id));
      if (missing === undefined) continue;
      const sentence = `holds partitions of the topic ${topic} on broker ${missing}; expected it among the brokers ${brokerIds.join(", ")}`;
      throw new DataFolderRefused("missing-broker", this.folder, sentence);
    }
  }

  /** Throws DataFolderRefused when something else stands in the place of a broker's folder; DiskError. */
  requireFolders(brokerIds: readonly number[], disk: Disk): void {
    for (const brokerId of brokerIds) {
      const name = `broker-${brokerId}`;
      const kind = disk.stat(posix.join(this.folder, name))?.kind ?? "folder";
      if (kind === "folder") continue;
      const what = kind === "file" ? "a file" : "something";
      const sentence = `has ${what} called ${name}, and no folder of that broker: move it away, and put back the folder if there was one`;
      throw new DataFolderRefused("no-broker-folder", this.folder, sentence);
    }
  }

  /** Lets the folder go. A `lock` file that the disk does not remove holds nobody up. */
  async release(): Promise<void> {
    await releaseQuietly(this.#lock);
  }
}

async function releaseQuietly(lock: FolderLock): Promise<void> {
  try {
    await lock.release();
  } catch (problem) {
    if (!(problem instanceof DiskError)) throw problem;
  }
}
