/**
 * The states of a cluster with a manual clock, to be gone back to; and what led there. In auto mode, where things happen by
 * themselves, all of it is refused with STEPPING_DISABLED.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import { type CamelCased, camelCased } from "./camel-case.ts";
import { requireCallOptions } from "./client-options.ts";
import type { CallOptions, Session } from "./session.ts";

/** A state of the cluster that has a name. */
export type Snapshot = CamelCased<ParsedResponse<"save_snapshot">>;
/** One that is damaged has a `problem`, and neither `entries` nor `timeMs`. */
export type ListedSnapshot = CamelCased<ParsedResponse<"list_snapshots">["snapshots"][number]>;
/** The state that the cluster was brought back to, and where it differs, if that was accepted. */
export type LoadedSnapshot = CamelCased<ParsedResponse<"load_snapshot">>;
/** Where two states differ: `path` such as `topics.orders.partitions.0.high_watermark`, and the value on either side, if any. */
export type StateDifference = ParsedResponse<"diff_snapshots">["differences"][number];
/** Lines of a trace (docs/traces.md), from the cluster's start. */
export type HistoryPage = CamelCased<ParsedResponse<"read_history">>;

/** Where a snapshot is kept. */
export interface SaveOptions extends CallOptions {
  /** "memory": until the daemon ends (the default). "folder": in its data folder. */
  readonly keep?: "memory" | "folder" | undefined;
}

/** What a load may accept. */
export interface LoadOptions extends CallOptions {
  /** Load it also where it does not come out as it was. Default: it is refused with STORAGE_ERROR, and nothing is touched. */
  readonly acceptDifference?: boolean | undefined;
}

/** What a snapshot is held against. */
export interface DiffOptions extends CallOptions {
  /** Default: the cluster as it is now. */
  readonly to?: string | undefined;
}

/** Where a page of history begins. */
export interface HistoryOptions extends CallOptions {
  /** The first line, from 0. */
  readonly from?: number | undefined;
}

/** States of a cluster with a manual clock, by name. Made by `client.snapshots()`. */
export class Snapshots {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Names the present state; changes nothing. One of that name is replaced. */
  async save(name: string, asked: SaveOptions = {}): Promise<Snapshot> {
    requireCallOptions("save", asked, ["keep"]);
    const { keep, ...options } = asked;
    const fields = keep === undefined ? { name } : { name, keep };
    return camelCased(await this.#session.call("save_snapshot", fields, options));
  }

  /**
   * The cluster is as it was then. All other connections are closed, those of other clients of this program included; this client's
   * producers and consumers know of things that have not happened: make new ones. A `difference` that is not null says where
   * it does not come out as it was, which has to be accepted.
   */
  async load(name: string, asked: LoadOptions = {}): Promise<LoadedSnapshot> {
    requireCallOptions("load", asked, ["acceptDifference"]);
    const { acceptDifference, ...options } = asked;
    const fields = acceptDifference === undefined ? { name } : { name, accept_difference: acceptDifference };
    return camelCased(await this.#session.call("load_snapshot", fields, options));
  }

  /** By name; those that cannot be read too, with their `problem`. */
  async list(options?: CallOptions): Promise<readonly ListedSnapshot[]> {
    return camelCased((await this.#session.call("list_snapshots", {}, options)).snapshots);
  }

  /** Forgets it. Fails with UNKNOWN_SNAPSHOT when there is none of that name. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#session.call("delete_snapshot", { name }, options);
  }

  /** Where the state `from` differs from another one; changes nothing. */
  async diff(from: string, asked: DiffOptions = {}): Promise<readonly StateDifference[]> {
    requireCallOptions("diff", asked, ["to"]);
    const { to, ...options } = asked;
    const fields = to === undefined ? { from } : { from, to };
    return (await this.#session.call("diff_snapshots", fields, options)).differences;
  }

  /** What happened, a page of it; go on at its `next` until that is its `end`. */
  async history(asked: HistoryOptions = {}): Promise<HistoryPage> {
    requireCallOptions("history", asked, ["from"]);
    const { from, ...options } = asked;
    const fields = from === undefined ? {} : { from };
    return camelCased(await this.#session.call("read_history", fields, options));
  }
}
