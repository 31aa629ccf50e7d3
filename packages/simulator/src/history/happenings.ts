/** What befell the cluster, and what members of groups believed: without it nobody could say which losses are no broken promise. */
import type { PlaceName } from "./place.ts";

/** What a life of the process promises, as far as its settings decide. */
export interface Dials {
  /** What acks=all waits for: nothing but `ack` survives a power cut. */
  readonly flush: "ack" | "interval" | "os";
  /** With `high-watermark` a promotion may cost what every in-sync replica held. */
  readonly reconciliation: "leader-epoch" | "high-watermark";
  /** Without, a restart may show less than before, until replicas have spoken. */
  readonly highWatermarkCheckpoint: boolean;
  /** With `immediate` two members may believe in one partition. */
  readonly rebalance: "barrier" | "immediate";
}

export type What =
  /** The process died. What the disk kept of what was not synced: all, nothing, a part of the last write, or any part. */
  | { readonly kind: "process_crashed"; readonly disk: "kept" | "lost" | "torn" | "scattered" }
  /** The process ended as it should. */
  | { readonly kind: "process_closed"; readonly clean: boolean }
  | { readonly kind: "process_started"; readonly dials: Dials }
  | { readonly kind: "broker_stopped"; readonly brokerId: number }
  | { readonly kind: "broker_started"; readonly brokerId: number }
  /** A disk error took a broker out. */
  | { readonly kind: "broker_failed"; readonly brokerId: number }
  | { readonly kind: "folder_lost"; readonly brokerId: number }
  /** Its folder is what it was at `order`. */
  | { readonly kind: "folder_put_back"; readonly brokerId: number; readonly fromOrder: number }
  | { readonly kind: "disk_failed"; readonly brokerId: number | null; readonly errno: string }
  | { readonly kind: "fault_fired"; readonly point: string; readonly action: string }
  | { readonly kind: "connection_lost"; readonly client: string }
  | { readonly kind: "clock_jumped"; readonly byMs: number }
  /** Somebody leads in a new epoch, or nobody does. `isUnclean`: it was out of sync. */
  | {
      readonly kind: "leader_changed";
      readonly place: PlaceName;
      readonly leaderId: number | null;
      readonly leaderEpoch: number;
      readonly isUnclean: boolean;
    }
  /**
   * All that a member has now, and until when nobody else may have it as far as it can know: to the end of its session, or of the
   * time that it has to let a partition go, counted from when it asked what told it last that the partition stays. Told at each
   * change of either; with no places when it leaves, gives up, or is told that it is no member.
   */
  | {
      readonly kind: "believes";
      readonly groupId: string;
      readonly memberId: string;
      readonly generation: number;
      readonly memberSince: number;
      readonly places: readonly PlaceName[];
      readonly untilMs: number;
      /** Of the question whose answer has it believe: what its coordinator knew is from then or later, and may be older than the belief. */
      readonly askedOrder: number;
    }
  /** No more faults from here on: everything is to come together again. */
  | { readonly kind: "faults_ended" };

export type Happening = What & { readonly order: number; readonly atMs: number };
