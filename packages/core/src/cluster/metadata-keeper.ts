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
import type { Broker } from "./broker.ts";
import type { Brokers } from "./brokers.ts";
import type { BrokerEpochs, ClusterMetadata } from "./metadata-file.ts";
import { type Topic, TopicCatalogue } from "./topics.ts";

export class MetadataKeeper {
  readonly catalogue: TopicCatalogue;
  readonly #file: CheckpointFile<ClusterMetadata>;
  readonly #brokers: Brokers;
  #deletions: readonly Topic[];
  #brokerEpochs: BrokerEpochs | undefined;
  #doubt: BrokerError | null = null;

  /** `metadata` is what the file says now. */
  constructor(file: CheckpointFile<ClusterMetadata>, metadata: ClusterMetadata, brokers: Brokers) {
    this.catalogue = new TopicCatalogue(metadata.topics);
    this.#deletions = metadata.deletions;
    this.#brokerEpochs = metadata.brokerEpochs;
    this.#file = file;
    this.#brokers = brokers;
  }

  /** Deleted topics of which some folder may still be there. */
  get deletions(): readonly Topic[] {
    return this.#deletions;
  }

  /** Of the broker's last start whose replicas were judged; `null` when none is known. */
  brokerEpochOf(brokerId: number): number | null {
    return this.#brokerEpochs?.get(brokerId) ?? null;
  }

  /**
   * The replicas of `brokers`, which have started, were judged, durably. Throws as commit(); where nothing has changed, the file
   * hears of it with its next change.
   */
  noteStarts(brokers: readonly Broker[]): void {
    const started = brokers.flatMap(({ brokerId, brokerEpoch }) =>
      brokerEpoch === null ? [] : [[brokerId, brokerEpoch] as const],
    );
    this.#brokerEpochs = new Map([...(this.#brokerEpochs ?? []), ...started]);
    if (started.length > 0) this.commit({}, () => {});
  }

  /** Throws BROKER_FAILED when nobody knows what the file says any more. */
  requireWritable(): void {
    if (this.#doubt !== null) throw this.#doubt;
  }

  /**
   * Replaces the file by what it says now with `change`, and calls `adopt` in the instant in which that counts. Throws
   * STORAGE_ERROR; after an unknown outcome the change holds in memory, and no broker takes a write any more: `isLasting` says
   * whether a power cut cannot take it back.
   */
  commit(change: Partial<ClusterMetadata>, adopt: (isLasting: boolean) => void): void {
    this.requireWritable();
    const epochs = this.#brokerEpochs === undefined ? {} : { brokerEpochs: this.#brokerEpochs };
    const next: ClusterMetadata = {
      ...{ topics: this.catalogue.list(), deletions: this.#deletions, ...epochs },
      ...change,
    };
    let unknown: BrokerError | null = null;
    try {
      this.#file.replace(next);
    } catch (problem) {
      if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unknown") throw problem;
      unknown = problem;
      // First: nobody notes an epoch in a log that another may be given again.
      this.#failAll(unknown);
    }
    this.#deletions = next.deletions;
    adopt(unknown === null);
    if (unknown !== null) throw unknown;
  }

  #failAll({ message, details }: BrokerError): void {
    this.#doubt = new BrokerError("BROKER_FAILED", `the metadata cannot be changed: ${message}`, details);
    this.#brokers.failAll(message);
  }

  /** The folders of `deletion` are gone. The file hears of it with its next change: finishing twice does no harm. */
  forget(deletion: Topic): void {
    this.#deletions = this.#deletions.filter((each) => each !== deletion);
  }
}
