/** What a run is drawn to be, before anything happens in it: all of it is printed, and can be handed in instead. */
import type { ClusterConfig, RawTopicConfig } from "@minikafka/core";
import type { DiskFate } from "../world/process.ts";

export interface TopicShape {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: RawTopicConfig;
}

export type ClientShape =
  | {
      readonly kind: "producer";
      readonly name: string;
      readonly isIdempotent: boolean;
      /** Whether it names the leader epoch that it knows. */
      readonly namesEpoch: boolean;
      readonly valueBytes: number;
    }
  | {
      readonly kind: "reader";
      readonly name: string;
      readonly isolation: "read_uncommitted" | "read_committed";
    };

export interface Shape {
  readonly brokers: number;
  readonly config: Partial<Omit<ClusterConfig, "dataFolder" | "brokerIds">>;
  readonly topics: readonly TopicShape[];
  readonly clients: readonly ClientShape[];
  readonly network: { readonly delayMsMax: number; readonly lossPermille: number };
  /** What a death of the process may leave of what was not synced. */
  readonly fates: readonly DiskFate[];
  /** How often each kind of act is drawn. */
  readonly weights: Readonly<Record<string, number>>;
  /** How often followers fetch by themselves; `null`: when the script says so. */
  readonly replicateEveryMs: number | null;
  readonly acts: number;
}
