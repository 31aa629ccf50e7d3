/** The settings of what connections may take up, a part of the table in settings-table.ts. */
import { LIMITS } from "@minikafka/core";
import { z } from "zod";

const MIB = 1024 * 1024;
/** A timer takes no more. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Of connections_max_idle_ms, as in Kafka: no connection is closed for it. */
export const NEVER_IDLE = -1;

export const connectionSettings = {
  max_frame_bytes: z
    .int()
    .min(1024)
    .max(64 * MIB)
    .default(LIMITS.frameBytesMax)
    .describe("the longest request line"),
  max_output_bytes: z
    .int()
    .min(MIB)
    .default(32 * MIB)
    .describe("a connection that leaves more than this unread, and reads nothing of it for 30 s, is closed"),
  max_connections: z
    .int()
    .min(1)
    .optional()
    .describe("the most connections at a time; 2000, or what the system allows beside the logs' files"),
  connections_max_idle_ms: z
    .int()
    .min(NEVER_IDLE)
    .max(TIMER_MS_MAX)
    .refine((ms) => ms !== 0, "expected 1 ms or more, or -1")
    .default(600_000)
    .describe("a connection that asks and reads nothing for so long, by real time, is closed; -1: none is"),
};
