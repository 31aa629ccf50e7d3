/**
 * A script: what is done to a cluster, and when. It is drawn whole before the run, so that entries can be left out of it; whatever an
 * entry draws while it is taken, it draws from its own luck, and leaves the others theirs.
 */
import type { FaultPoint } from "@minikafka/core";
import type { Acks } from "../history/history.ts";
import type { Occasion } from "../world/occasions.ts";
import type { DiskFate } from "../world/process.ts";

interface Place {
  readonly topic: string;
  /** One of as many as there are, counted around. */
  readonly partition: number;
}

export type Act =
  | ({
      readonly kind: "send";
      readonly client: string;
      readonly keys: readonly (string | null)[];
      readonly isTombstone: boolean;
      readonly acks: Acks;
    } & Place)
  | ({ readonly kind: "read"; readonly client: string } & Place)
  | {
      readonly kind: "transact";
      readonly client: string;
      readonly sends: readonly (Place & { readonly keys: readonly (string | null)[] })[];
      readonly end: "commit" | "abort" | "leave";
      /** It commits what was taken also when a part was refused for certain. */
      readonly insists: boolean;
      /** It asks for another end once there is nothing to end. */
      readonly endsTwice: boolean;
      readonly pauseMs: number;
    }
  | {
      readonly kind: "consume";
      readonly client: string;
      readonly commits: boolean;
      readonly next: "stay" | "leave";
      readonly bytesMax: number;
    }
  | {
      readonly kind: "copy";
      readonly client: string;
      readonly end: "commit" | "abort" | "leave";
      readonly bytesMax: number;
      readonly pauseMs: number;
    }
  /** Somebody who is no member commits an offset of a group. */
  | ({ readonly kind: "outsider"; readonly client: string; readonly groupId: string } & Place)
  /** The client's process dies, and another one begins in its place. */
  | { readonly kind: "vanish"; readonly client: string }
  // the network
  | { readonly kind: "cut"; readonly client: string }
  | { readonly kind: "stall"; readonly client: string; readonly forMs: number }
  // what the cluster does by itself
  | { readonly kind: "replicate"; readonly brokerId: number | null }
  | { readonly kind: "refresh_isr" }
  | { readonly kind: "flush" }
  | { readonly kind: "retention" }
  | { readonly kind: "compact"; readonly rolls: boolean }
  | { readonly kind: "expire_producers" }
  | { readonly kind: "expire_members" }
  | { readonly kind: "expire_offsets" }
  | { readonly kind: "expire_transactions" }
  | { readonly kind: "abort_transaction"; readonly transactionalId: string }
  // what operators do; a place may be one of an internal topic
  | ({ readonly kind: "roll" } & Place)
  | ({ readonly kind: "promote"; readonly brokerId: number; readonly unclean: boolean } & Place)
  | ({ readonly kind: "remove_from_isr"; readonly brokerId: number } & Place)
  | ({ readonly kind: "rejoin"; readonly brokerId: number } & Place)
  | ({ readonly kind: "delete_records"; readonly share: number } & Place)
  | { readonly kind: "stop_broker"; readonly brokerId: number }
  | { readonly kind: "start_broker"; readonly brokerId: number }
  | {
      readonly kind: "swap_folder";
      readonly brokerId: number;
      readonly how: "copy" | "back" | "lose";
      readonly downMs: number;
    }
  | { readonly kind: "create_topic"; readonly topic: string }
  | { readonly kind: "delete_topic"; readonly topic: string }
  | { readonly kind: "grow"; readonly topic: string }
  | { readonly kind: "alter"; readonly topic: string; readonly key: string; readonly value: number }
  // faults
  | { readonly kind: "crash"; readonly fate: DiskFate; readonly downMs: number }
  | {
      readonly kind: "crash_at";
      readonly point: FaultPoint;
      readonly nth: number;
      readonly fate: DiskFate;
      readonly downMs: number;
    }
  | { readonly kind: "fail_at"; readonly point: FaultPoint; readonly nth: number }
  | { readonly kind: "delay_at"; readonly point: FaultPoint; readonly nth: number; readonly delayMs: number }
  | { readonly kind: "hold_at"; readonly point: FaultPoint; readonly nth: number; readonly forMs: number }
  /** The process ends as it should; `flushes`: once everything is flushed and noted. */
  | {
      readonly kind: "restart";
      readonly downMs: number;
      readonly slowMs: number;
      readonly flushes: boolean;
    }
  | { readonly kind: "hold_syncs"; readonly forMs: number }
  /** Every sync takes a while. */
  | { readonly kind: "slow_syncs"; readonly forMs: number; readonly delayMs: number }
  /** `what` is done at the nth occasion from here on, or so long after it, and no sync ends in between where the disk is held. */
  | {
      readonly kind: "upon";
      readonly occasion: Occasion;
      readonly nth: number;
      readonly afterMs: number;
      readonly holdsDisk: boolean;
      readonly what: "crash" | "promote" | "stop_leader";
      readonly fate: DiskFate;
      readonly downMs: number;
      readonly unclean: boolean;
    }
  /** A broker stops at one occasion, and comes back at another one, to lead there with what it had. */
  | {
      readonly kind: "left_behind";
      readonly brokerId: number;
      readonly from: Occasion;
      readonly until: Occasion;
      readonly nth: number;
    }
  /** A marker that was written before is written again; where it strays, the last one of a producer where an earlier one was. */
  | { readonly kind: "late_marker"; readonly strays: boolean }
  | {
      readonly kind: "disk_error";
      readonly operation: "write" | "sync" | "change";
      readonly code: "EIO" | "ENOSPC";
      readonly nth: number;
    }
  | { readonly kind: "clock_jump"; readonly byMs: number };

export type ActKind = Act["kind"];
export type ActOf<Kind extends ActKind> = Extract<Act, { readonly kind: Kind }>;

export type Entry = { readonly atMs: number; readonly luck: number } & Act;
