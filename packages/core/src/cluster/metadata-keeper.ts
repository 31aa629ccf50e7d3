/**
 * What the metadata file says, in memory, and the one way to change it.
 *
 * Owns: the catalogue, the unfinished deletions, the file.
 * Invariants: replacing the file is the commit point of every change; the memory follows it and never goes before. After a
 * replacement of unknown outcome every broker has failed, since a power cut could take the change back, and with it records
 * that were acknowledged.
 */
import { BrokerError } from "../errors.ts";
import type { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { checkpointOutcome } from "../log/files/checkpoint-outcome.ts";
import type { Brokers } from "./brokers.ts";
import type { ClusterMetadata } from "./metadata-file.ts";
import { type Topic, TopicCatalogue } from "./topics.ts";

export class MetadataKeeper {
  readonly catalogue: TopicCatalogue;
  readonly #file: CheckpointFile<ClusterMetadata>;
  readonly #brokers: Brokers;
  #deletions: readonly Topic[];
  #doubt: BrokerError | null = null;

  /** `metadata` is what the file says now. */
  constructor(file: CheckpointFile<ClusterMetadata>, metadata: ClusterMetadata, brokers: Brokers) {
    this.catalogue = new TopicCatalogue(metadata.topics);
    this.#deletions = metadata.deletions;
    this.#file = file;
    this.#brokers = brokers;
  }

  /** Deleted topics of which some folder may still be there. */
  get deletions(): readonly Topic[] {
    return this.#deletions;
  }

  /** Throws BROKER_FAILED when nobody knows what the file says any more. */
  requireWritable(): void {
    if (this.#doubt !== null) throw this.#doubt;
  }

  /**
   * Replaces the file by what it says now with `change`, and calls `adopt` in the instant in which that counts. Throws
   * STORAGE_ERROR; after an unknown outcome the change holds in memory, and no broker takes a write any more.
   */
  commit(change: Partial<ClusterMetadata>, adopt: () => void): void {
    this.requireWritable();
    const next = { topics: this.catalogue.list(), deletions: this.#deletions, ...change };
    let unknown: BrokerError | null = null;
    try {
      this.#file.replace(next);
    } catch (problem) {
      if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unknown") throw problem;
      unknown = problem;
    }
    this.#deletions = next.deletions;
    adopt();
    if (unknown === null) return;
    this.#doubt = new BrokerError(
      "BROKER_FAILED",
      `the metadata cannot be changed: ${unknown.message}`,
      unknown.details,
    );
    this.#brokers.failAll(unknown.message);
    throw unknown;
  }

  /** The folders of `deletion` are gone. The file hears of it with its next change: finishing twice does no harm. */
  forget(deletion: Topic): void {
    this.#deletions = this.#deletions.filter((each) => each !== deletion);
  }
}
