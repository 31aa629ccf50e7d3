/**
 * The files of the data folder that everything else depends on: whose it is, its topics, its producer ids.
 *
 * Invariants: a folder with an identity of the present version has the other two, so that a missing one is damage and
 * never an empty cluster; the identity is written last, so that a crash before it leaves a folder that is founded or
 * raised again.
 * Never: a folder taken over that holds somebody else's files.
 */
import { posix } from "node:path";
import { DiskError } from "../env/disk.ts";
import type { Env } from "../env/env.ts";
import { HOLD_FILE_NAME, LOCK_FILE_NAME } from "../env/folder-lock.ts";
import { BrokerError } from "../errors.ts";
import type { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { METADATA_FILE_NAME } from "../log/inspection/folder-survey.ts";
import { quoted } from "../quoted.ts";
import { DataFolderRefused } from "./data-folder-refusal.ts";
import { FORMAT_VERSION, IDENTITY_FILE_NAME, type Identity, openIdentityFile } from "./identity-file.ts";
import { type ClusterMetadata, openMetadataFile } from "./metadata-file.ts";
import {
  type GivenProducerIds,
  NO_PRODUCER_IDS,
  openProducerIdsFile,
  PRODUCER_IDS_FILE_NAME,
} from "./producer-ids-file.ts";

const BROKER_FOLDER = /^broker-\d+$/;

/** Where whoever opens a cluster may keep what it was at other times; the cluster leaves it alone. */
const SNAPSHOTS_FOLDER_NAME = "snapshots";

/** What a crash in the middle of the first opening leaves, and what a file system puts into an empty disk. */
const MAY_STAND_IN_A_NEW_FOLDER: ReadonlySet<string> = new Set([
  LOCK_FILE_NAME,
  HOLD_FILE_NAME,
  METADATA_FILE_NAME,
  `${METADATA_FILE_NAME}.tmp`,
  PRODUCER_IDS_FILE_NAME,
  `${PRODUCER_IDS_FILE_NAME}.tmp`,
  `${IDENTITY_FILE_NAME}.tmp`,
  "lost+found",
  SNAPSHOTS_FOLDER_NAME,
]);

/** A cluster's folder, as its files say. */
export interface FoundCluster extends Identity {
  readonly metadata: ClusterMetadata;
  readonly producerIds: GivenProducerIds;
}

const NO_TOPICS: ClusterMetadata = { topics: [], deletions: [] };

export class DataFolderFiles {
  readonly folder: string;
  readonly metadata: CheckpointFile<ClusterMetadata>;
  readonly producerIds: CheckpointFile<GivenProducerIds>;
  readonly #identity: CheckpointFile<Identity>;
  readonly #env: Env;

  constructor(folder: string, env: Env) {
    this.folder = folder;
    this.#env = env;
    this.metadata = openMetadataFile(folder, env);
    this.producerIds = openProducerIdsFile(folder, env);
    this.#identity = openIdentityFile(folder, env);
  }

  /** The cluster in the folder, or `null` when there is none and one may be founded. Changes nothing. */
  inspect(): FoundCluster | null {
    const entry = this.#env.disk.stat(this.folder);
    if (entry === null) return null;
    if (entry.kind !== "folder") throw this.#refused("not-a-folder", "is not a folder");
    const identity = this.#identity.read();
    if (identity === null) {
      this.#requireNew();
      return null;
    }
    const { formatVersion, clusterId } = identity;
    if (formatVersion > FORMAT_VERSION) {
      throw this.#refused(
        "newer-version",
        `has format version ${formatVersion}; this program reads up to ${FORMAT_VERSION}`,
      );
    }
    const metadata = this.metadata.read();
    // Before version 2 nobody had an id.
    const producerIds = this.producerIds.read() ?? (formatVersion < 2 ? NO_PRODUCER_IDS : null);
    if (metadata !== null && producerIds !== null) return { ...identity, metadata, producerIds };
    const missing = metadata === null ? METADATA_FILE_NAME : PRODUCER_IDS_FILE_NAME;
    throw this.#refused("damaged", `of cluster ${clusterId} is damaged: ${missing} is missing`);
  }

  /** Founds a new cluster. The identity comes last: a crash before it leaves a folder that is founded again. */
  found(): FoundCluster {
    const clusterId = this.#env.random.uuid();
    this.#syncFoldersAbove();
    this.metadata.replace(NO_TOPICS);
    this.producerIds.replace(NO_PRODUCER_IDS);
    const identity = { formatVersion: FORMAT_VERSION, clusterId };
    try {
      this.#identity.replace(identity);
    } catch (problem) {
      this.#takeBackIdentity();
      throw problem;
    }
    return { ...identity, metadata: NO_TOPICS, producerIds: NO_PRODUCER_IDS };
  }

  /** Its renaming may be there with a sync that failed, so that no later one makes it durable: the next opening founds the cluster again. */
  #takeBackIdentity(): void {
    const { disk } = this.#env;
    try {
      if (disk.stat(this.#identity.path) !== null) disk.remove(this.#identity.path);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
    }
  }

  /** Brings a folder of an older version up to the present one. The identity comes last here as well. */
  raise(found: FoundCluster): FoundCluster {
    if (found.formatVersion === FORMAT_VERSION) return found;
    this.producerIds.replace(found.producerIds);
    this.#identity.replace({ formatVersion: FORMAT_VERSION, clusterId: found.clusterId });
    return { ...found, formatVersion: FORMAT_VERSION };
  }

  /**
   * The folder, and any above it, may have been made by a process that died, or was refused, before their names were durable. Who
   * may not sync a folder has made nothing in it.
   */
  #syncFoldersAbove(): void {
    let path = this.folder;
    for (let above = posix.dirname(path); above !== path; above = posix.dirname(path)) {
      this.#syncWhereAllowed(above);
      path = above;
    }
  }

  #syncWhereAllowed(path: string): void {
    try {
      this.#env.disk.syncFolder(path);
    } catch (problem) {
      if (!(problem instanceof DiskError) || (problem.code !== "EACCES" && problem.code !== "EPERM"))
        throw problem;
    }
  }

  #requireNew(): void {
    const others = this.#env.disk
      .readFolder(this.folder)
      .map(({ name }) => name)
      .filter((name) => !MAY_STAND_IN_A_NEW_FOLDER.has(name));
    const broker = others.find((name) => BROKER_FOLDER.test(name));
    if (broker !== undefined) {
      throw this.#refused("damaged", `is damaged: it holds ${broker}, but ${IDENTITY_FILE_NAME} is missing`);
    }
    if (others.length > 0) {
      const some = others.slice(0, 3).map((name) => quoted(name));
      const rest = others.length > 3 ? ` and ${others.length - 3} more` : "";
      throw this.#refused(
        "not-ours",
        `is not empty and is no data folder: it holds ${some.join(", ")}${rest}`,
      );
    }
    for (const [name, isFounding] of [
      [METADATA_FILE_NAME, () => this.#isFoundingMetadata()],
      [PRODUCER_IDS_FILE_NAME, () => this.#isFoundingProducerIds()],
    ] as const) {
      if (!isFounding()) throw this.#refused("not-ours", `holds ${name}, but no ${IDENTITY_FILE_NAME}`);
    }
  }

  /** Whether metadata.json, if there is one, is what an interrupted founding leaves. */
  #isFoundingMetadata(): boolean {
    const metadata = orUndefined(() => this.metadata.read() ?? NO_TOPICS);
    return metadata !== undefined && metadata.topics.length + metadata.deletions.length === 0;
  }

  /** The same for producer-ids.json. */
  #isFoundingProducerIds(): boolean {
    return orUndefined(() => this.producerIds.read() ?? NO_PRODUCER_IDS)?.nextProducerId === 0;
  }

  #refused(reason: DataFolderRefused["reason"], sentence: string): DataFolderRefused {
    return new DataFolderRefused(reason, this.folder, sentence);
  }
}

/** What a file holds, or `undefined` when it holds something else. */
function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (problem) {
    if (problem instanceof BrokerError && !(problem.cause instanceof DiskError)) return undefined;
    throw problem;
  }
}
