/**
 * The data folder: whose it is, that it is held by us alone, and its files that everything else depends on.
 *
 *   meta.properties.json   {format_version, cluster_id}: written once and last, it makes the folder a cluster's
 *   metadata.json          topics and their places (metadata-file.ts)
 *   producer-ids.json      which producer ids were given away (producer-ids-file.ts)
 *   broker-<id>/           one broker's logs (broker.ts)
 *   lock                   who holds the folder, for people
 *
 * Owns: the identity and the hold.
 * Invariants: a folder with an identity of the present version has the other two, so that a missing one is damage and
 * never an empty cluster;
 * a folder is judged before it is held and again after, so that what is refused was not touched.
 * Never: a folder taken over that holds somebody else's files.
 */
import { posix } from "node:path";
import { DiskError, type FolderLock } from "../env/disk.ts";
import type { Env } from "../env/env.ts";
import { HOLD_FILE_NAME, LOCK_FILE_NAME } from "../env/folder-lock.ts";
import { BrokerError } from "../errors.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import { DataFolderRefused, refusalOf } from "./data-folder-refusal.ts";
import { type ClusterMetadata, METADATA_FILE_NAME, openMetadataFile } from "./metadata-file.ts";
import {
  type GivenProducerIds,
  NO_PRODUCER_IDS,
  openProducerIdsFile,
  PRODUCER_IDS_FILE_NAME,
} from "./producer-ids-file.ts";
import { quoted } from "./quoted.ts";
import { isUuid } from "./uuid.ts";

/**
 * Raised when a program of an older version could no longer read a folder, or would do harm there. 2: producer-ids.json is
 * there, and logs know of replicas. A folder of version 1 is raised when it is opened.
 */
export const FORMAT_VERSION = 2;
export const IDENTITY_FILE_NAME = "meta.properties.json";
const IDENTITY_FILE_VERSION = 1;
const BROKER_FOLDER = /^broker-\d+$/;

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
]);

interface Identity {
  readonly formatVersion: number;
  readonly clusterId: string;
}

/** A cluster's folder, as its files say. */
interface Found extends Identity {
  readonly metadata: ClusterMetadata;
  readonly producerIds: GivenProducerIds;
}

const NO_TOPICS: ClusterMetadata = { topics: [], deletions: [] };

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

  private constructor(files: Files, found: Found, lock: FolderLock) {
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
    const files = new Files(folder, env);
    try {
      files.inspect();
      for (const parent of env.disk.makeFolder(folder)) env.disk.syncFolder(parent);
      const lock = await env.disk.lock(folder, env.clock.nowMs());
      try {
        // Another process may have been faster between the look and the hold.
        const found = files.raise(files.inspect() ?? files.found());
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

class Files {
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
    this.#identity = new CheckpointFile<Identity>({
      disk: env.disk,
      faults: env.faults,
      path: posix.join(folder, IDENTITY_FILE_NAME),
      name: "identity",
      version: IDENTITY_FILE_VERSION,
      parse: parseIdentity,
      format: ({ formatVersion, clusterId }) => ({ format_version: formatVersion, cluster_id: clusterId }),
    });
  }

  /** The cluster in the folder, or `null` when there is none and one may be founded. Changes nothing. */
  inspect(): Found | null {
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
  found(): Found {
    const clusterId = this.#env.random.uuid();
    this.#syncFolderAbove();
    this.metadata.replace(NO_TOPICS);
    this.producerIds.replace(NO_PRODUCER_IDS);
    const identity = { formatVersion: FORMAT_VERSION, clusterId };
    this.#identity.replace(identity);
    return { ...identity, metadata: NO_TOPICS, producerIds: NO_PRODUCER_IDS };
  }

  /** Brings a folder of an older version up to the present one. The identity comes last here as well. */
  raise(found: Found): Found {
    if (found.formatVersion === FORMAT_VERSION) return found;
    this.producerIds.replace(found.producerIds);
    this.#identity.replace({ formatVersion: FORMAT_VERSION, clusterId: found.clusterId });
    return { ...found, formatVersion: FORMAT_VERSION };
  }

  /** The folder may have been made by a process that died before it was durable. Who may not sync it did not make it. */
  #syncFolderAbove(): void {
    try {
      this.#env.disk.syncFolder(posix.dirname(this.folder));
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

function parseIdentity(payload: unknown): Identity {
  const fields = fieldsOf(payload, "the identity");
  const formatVersion = integerOf(fields.get("format_version"), "format_version", {
    min: 1,
    max: 2 ** 31 - 1,
  });
  const clusterId = textOf(fields.get("cluster_id"), "cluster_id");
  if (!isUuid(clusterId)) throw mismatch(clusterId, "cluster_id", "a UUID");
  return { formatVersion, clusterId };
}
