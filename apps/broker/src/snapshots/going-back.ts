/** What handlers may ask of the past. */
import { BrokerError } from "@minikafka/core";
import type { ParsedResponse } from "@minikafka/protocol";
import { MANUAL_CLOCK } from "../manual-clock-missing.ts";
import type { Given } from "./given-up.ts";
import type { Difference } from "./state-difference.ts";

export interface GoingBack {
  /** Resolves when the load under way is over, in the middle of which nothing may be closed; `null` where none is. */
  readonly loading: Promise<unknown> | null;
  /** What there is of a cluster is half of a state, which does not count and is to be written nowhere: a load is or was given up. */
  readonly isHalf: boolean;
  /** The broker stops: what is made once more ends within a few turns, and rejects with SHUTTING_DOWN. */
  giveUp(what: Given): void;
  /** Throws HISTORY_ENDED where nothing was kept from the start. */
  read(from: number, bytesMax: number): ParsedResponse<"read_history">;
  /** Throws HISTORY_ENDED, SNAPSHOTS_FULL, STORAGE_ERROR. */
  save(name: string, keep: "memory" | "folder"): ParsedResponse<"save_snapshot">;
  /** Throws STORAGE_ERROR. */
  list(): ParsedResponse<"list_snapshots">["snapshots"];
  /** Throws UNKNOWN_SNAPSHOT, STORAGE_ERROR. */
  delete(name: string): void;
  /**
   * Who asks stays; all others are let go. `accept`: also a state that is not exactly the one that was. Rejects with UNKNOWN_SNAPSHOT,
   * INVALID_CONFIG, STORAGE_ERROR.
   */
  load(
    name: string,
    asker: { readonly number: number },
    accept: boolean,
  ): Promise<ParsedResponse<"load_snapshot">>;
  /** Rejects as load does, and with HISTORY_ENDED. */
  diff(from: string, to: string | undefined): Promise<Difference[]>;
}

/** Throws STEPPING_DISABLED in auto mode, where things happen by themselves and cannot be done again. */
export function requirePast({ past }: { readonly past: GoingBack | null }): GoingBack {
  if (past !== null) return past;
  const message = `what happens by itself cannot be done again; ${MANUAL_CLOCK}`;
  throw new BrokerError("STEPPING_DISABLED", message);
}
