/** What the parts of one log share: the world, the place, the sizes. */
import type { Env } from "../../env/env.ts";
import type { ReplicaPlace } from "../../env/trace.ts";
import type { IndexMemory } from "./index-memory.ts";
import type { LogConfig } from "./log-config.ts";

export interface LogSettings {
  /** The partition's own folder. Its name is for the caller to sync. */
  readonly folder: string;
  readonly place: ReplicaPlace;
  /** Kafka: topic id (KIP-516). A folder that belongs to another topic is refused. */
  readonly topicId: string;
  /** Kafka: index.interval.bytes. At least so many bytes lie between two entries of an offset index. */
  readonly indexIntervalBytes: number;
  /** What the indexes of this log and of others may hold together. */
  readonly indexMemory: IndexMemory;
  /** Whether each roll asks for a flush (Kafka does), since nobody else will. Else rolled segments wait for who does. */
  readonly flushesAtRoll: boolean;
  /** The largest batch that can be here; a size above it is damage. */
  readonly frameBytesMax: number;
}

export interface LogContext extends LogSettings {
  readonly env: Env;
  /** Replaced when the topic's settings change: whoever asks it asks anew each time. */
  config: LogConfig;
}
