/** How a consumer works; each option with Kafka's name and default. */
import { LIMITS } from "../limits.ts";
import type { Session } from "../session.ts";
import { checkedInteger, usageError } from "../usage.ts";

export type AutoOffsetReset = "earliest" | "latest" | "error";

export interface ConsumerOptions {
  /**
   * Where to begin without a position, and where to go on when the position is not there any more (default "latest").
   * "error": the poll fails with NO_POSITION or OFFSET_OUT_OF_RANGE. Kafka: auto.offset.reset.
   */
  readonly autoOffsetReset?: AutoOffsetReset | undefined;
  /** Kafka: isolation.level (default "read_uncommitted"). */
  readonly isolation?: "read_uncommitted" | "read_committed" | undefined;
  /** Bytes of one fetch at most, but that a larger first batch comes whole (default 1 MiB). Kafka: fetch.max.bytes. */
  readonly fetchBytes?: number | undefined;
  /** How long the broker may hold one fetch back until there is something (default 500 ms). Kafka: fetch.max.wait.ms. */
  readonly fetchWaitMs?: number | undefined;
  /**
   * Whether to fetch the next records while the caller works on these (default true; with a manual clock false, so that
   * nothing happens but what a step asks for).
   */
  readonly fetchAhead?: boolean | undefined;
}

export interface ConsumerSettings {
  readonly autoOffsetReset: AutoOffsetReset;
  readonly isolation: "read_uncommitted" | "read_committed";
  readonly fetchBytes: number;
  readonly fetchWaitMs: number;
  readonly fetchAhead: boolean;
}

const RESETS: readonly string[] = ["earliest", "latest", "error"];

/** Fills in the defaults. Throws USAGE for what is out of bounds. */
export function consumerSettings(options: ConsumerOptions, session: Session): ConsumerSettings {
  const {
    autoOffsetReset = "latest",
    fetchBytes = LIMITS.fetchBytes,
    fetchWaitMs = LIMITS.fetchWaitMs,
  } = options;
  if (!RESETS.includes(autoOffsetReset))
    throw usageError(`autoOffsetReset is ${String(autoOffsetReset)}; expected ${RESETS.join(", ")}`);
  return {
    autoOffsetReset,
    isolation: options.isolation ?? "read_uncommitted",
    fetchBytes: checkedInteger("fetchBytes", fetchBytes, 1, LIMITS.fetchBytesMax),
    fetchWaitMs: checkedInteger("fetchWaitMs", fetchWaitMs, 0, LIMITS.fetchWaitMsMax),
    fetchAhead: options.fetchAhead ?? session.clock.mode === "auto",
  };
}
