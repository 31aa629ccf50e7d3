/** How a consumer works; each option with Kafka's name and default. */
import { LIMITS } from "../limits.ts";
import { type Deserializers, requireSerdes } from "../serdes/serde.ts";
import type { CloseOptions, Session } from "../session.ts";
import { checkedInteger, fieldNames, requireKnown, usageError } from "../usage.ts";
import { type DeserializeRecord, deserializing } from "./deserialized-record.ts";
import {
  GROUP_OPTIONS,
  type GroupOptions,
  type GroupSettings,
  groupSettings,
} from "./group/group-options.ts";

/** `"beginning"` is `"earliest"`, `"end"` is `"latest"`. */
export type AutoOffsetReset = "earliest" | "latest" | "beginning" | "end" | "error";

/** Options of a consumer that hands out keys of type `K` and values of type `V`. */
export interface ConsumerOptions<K = Buffer, V = Buffer> extends GroupOptions {
  /**
   * What keys and values are made of their bytes with (default: they come as bytes), and thereby which types a record has. A record
   * that is refused is told as a RecordDeserializationError, and can be skipped. Kafka: key.deserializer, value.deserializer.
   */
  readonly deserializers?: Deserializers<K, V> | undefined;
  /**
   * Where to begin without a position or a committed offset, and where to go on when the position is not there any more (default "latest").
   * "error": the poll fails with NO_POSITION or OFFSET_OUT_OF_RANGE. Kafka: auto.offset.reset.
   */
  readonly autoOffsetReset?: AutoOffsetReset | undefined;
  /**
   * "read_committed": records of a transaction come when it has committed and never when it was aborted, and nothing comes that
   * lies behind the first record of an open one. "read_uncommitted" (default): all that is there. Kafka: isolation.level.
   */
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

/** Of one poll. */
export interface PollOptions {
  /** At most so many records (default 500). */
  readonly maxRecords?: number | undefined;
  /** How long to wait for the first (default 0: what is there now, for which the broker is asked if need be). */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the poll then fails with the signal's reason, and no record is lost. */
  readonly signal?: AbortSignal | undefined;
}

/** Of an iteration record by record. */
export interface IterationOptions {
  /** Ends the iteration, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Of an iteration batch by batch. */
export interface BatchIterationOptions extends IterationOptions {
  /** Records of one batch at most (default: all that a fetch returned). */
  readonly maxRecords?: number | undefined;
}

/** Of a consumer's close. */
export interface ConsumerCloseOptions extends CloseOptions {
  /**
   * Whether the consumer leaves its group (default true). Else its partitions stay with the member, and wait for it until
   * its session is over; `onRebalance` is told of them as `revoked` all the same, since this consumer reads them no more.
   */
  readonly leave?: boolean | undefined;
}

export interface ConsumerSettings {
  readonly autoOffsetReset: AutoOffsetReset;
  readonly isolation: "read_uncommitted" | "read_committed";
  readonly fetchBytes: number;
  readonly fetchWaitMs: number;
  readonly fetchAhead: boolean;
  /** `null`: records are handed out as bytes. */
  readonly deserialize: DeserializeRecord | null;
  /** `null`: the consumer knows no group. */
  readonly group: GroupSettings | null;
}

const CONSUMER_OPTIONS = [
  ...GROUP_OPTIONS,
  ...fieldNames<Omit<ConsumerOptions, keyof GroupOptions>>({
    autoOffsetReset: true,
    isolation: true,
    fetchBytes: true,
    fetchWaitMs: true,
    fetchAhead: true,
    deserializers: true,
  }),
];

const ISOLATIONS: readonly string[] = ["read_uncommitted", "read_committed"];

const RESETS: readonly string[] = ["earliest", "latest", "beginning", "end", "error"];

/** Fills in the defaults. Throws USAGE for what is unknown or out of bounds. */
export function consumerSettings<K, V>(options: ConsumerOptions<K, V>, session: Session): ConsumerSettings {
  requireKnown("a consumer", options, CONSUMER_OPTIONS);
  const { deserializers = {} } = options;
  requireSerdes("deserializers", deserializers);
  const {
    autoOffsetReset = "latest",
    fetchBytes = LIMITS.fetchBytes,
    fetchWaitMs = LIMITS.fetchWaitMs,
  } = options;
  if (!RESETS.includes(autoOffsetReset))
    throw usageError(`autoOffsetReset is ${String(autoOffsetReset)}; expected ${RESETS.join(", ")}`);
  const { isolation = "read_uncommitted" } = options;
  if (!ISOLATIONS.includes(isolation))
    throw usageError(`isolation is ${String(isolation)}; expected ${ISOLATIONS.join(", ")}`);
  return {
    autoOffsetReset,
    isolation,
    fetchBytes: checkedInteger("fetchBytes", fetchBytes, 1, LIMITS.fetchBytesMax),
    fetchWaitMs: checkedInteger("fetchWaitMs", fetchWaitMs, 0, LIMITS.fetchWaitMsMax),
    fetchAhead: options.fetchAhead ?? session.clock.mode === "auto",
    deserialize: deserializing(deserializers),
    group: groupSettings(options, session),
  };
}
