/** What a run is drawn to be, before anything happens in it: all of it is printed, and can be handed in instead. */
import type { AssignorName, ClusterConfig, RawTopicConfig } from "@minikafka/core";
import type { Isolation } from "../history/history.ts";
import type { OccasionRoom } from "../world/occasions.ts";
import type { DiskFate } from "../world/process.ts";

export interface TopicShape {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: RawTopicConfig;
}

interface GroupMember {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assignor: AssignorName;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

interface Transactional {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  readonly valueBytes: number;
}

export type ClientShape = { readonly name: string } & (
  | {
      readonly kind: "producer";
      readonly isIdempotent: boolean;
      /** Whether it names the leader epoch that it knows. */
      readonly namesEpoch: boolean;
      readonly valueBytes: number;
    }
  | { readonly kind: "reader"; readonly isolation: Isolation }
  | ({ readonly kind: "writer" } & Transactional)
  | { readonly kind: "consumer"; readonly isolation: Isolation; readonly membership: GroupMember }
  | {
      readonly kind: "copier";
      readonly membership: GroupMember;
      readonly transactions: Transactional;
      readonly output: string;
    }
);

export type ClientKind = ClientShape["kind"];

/** "upkeep": what brokers do to their logs by themselves, and how they end; "remains": transactions whose markers get lost. */
export type Focus = "everything" | "remains" | OccasionRoom;

export interface Shape {
  readonly brokers: number;
  readonly config: Partial<Omit<ClusterConfig, "dataFolder" | "brokerIds">>;
  readonly topics: readonly TopicShape[];
  /** Those that may be made in the middle of the run, and may go again. */
  readonly laterTopics: readonly TopicShape[];
  /** Whether replicas out of sync may come to lead, with the loss of what only others hold. */
  readonly allowsUnclean: boolean;
  readonly clients: readonly ClientShape[];
  readonly network: { readonly delayMsMax: number; readonly lossPermille: number };
  /** What a death of the process may leave of what was not synced. */
  readonly fates: readonly DiskFate[];
  /** What deaths and new leaders are to meet, most of all. */
  readonly focus: Focus;
  /** How often each kind of act is drawn. */
  readonly weights: Readonly<Record<string, number>>;
  /** How often followers fetch by themselves; `null`: when the script says so. */
  readonly replicateEveryMs: number | null;
  readonly acts: number;
}
