/** The log: what the kernel did, and what went wrong, on stderr; one JSON object a line, or for people when one watches. */
import { BrokerError, type TraceEvent, type TraceKind, type Tracer } from "@minikafka/core";
import { ERRORS } from "@minikafka/protocol";
import { type Logger, pino } from "pino";

export const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger to stderr. The prettifier is loaded only when a terminal is there to read it. */
export async function openLog(level: LogLevel): Promise<Logger> {
  if (!process.stderr.isTTY) {
    const destination = pino.destination({ fd: 2, sync: true });
    // Nobody reads the log any more: that is no reason to stop serving.
    destination.on("error", () => undefined);
    return pino({ level, base: null }, destination);
  }
  const { default: pretty } = await import("pino-pretty");
  const colorize = process.env.NO_COLOR === undefined || process.env.NO_COLOR === "";
  return pino(
    { level, base: null },
    pretty({ destination: 2, sync: true, colorize, translateTime: "SYS:HH:MM:ss.l" }),
  );
}

/** What happens with each batch is for who asks for it; what changes files is for the curious; the rest is news. */
const LEVELS: { readonly [Kind in TraceKind]?: LogLevel } = {
  appended: "trace",
  fetched: "trace",
  flushed: "trace",
  high_watermark_moved: "trace",
  last_stable_offset_moved: "trace",
  marker_written: "trace",
  transaction_begun: "trace",
  transaction_partition_added: "trace",
  transaction_completed: "trace",
  rolled: "debug",
  clock_advanced: "debug",
  sealed: "debug",
  manifest_committed: "debug",
  coordinator_loaded: "debug",
  index_rebuilt: "warn",
  index_unwritten: "warn",
  seal_delayed: "warn",
  append_undone: "warn",
  foreign_file_ignored: "warn",
  stray_file_removed: "warn",
  obsolete_file_kept: "warn",
  replication_failed: "warn",
  producer_ids_raised: "warn",
  fault_fired: "warn",
  log_offline: "error",
  metadata_outdated: "error",
  broker_failed: "fatal",
};

function levelOf(event: TraceEvent): LogLevel {
  // A log that was closed properly has nothing to recover; one that lost its tail should be looked at.
  if (event.kind === "recovered")
    return event.cutBytes > 0 ? "warn" : event.scannedBytes > 0 ? "info" : "debug";
  // That a transaction ends is no news; that its producer did not ask for it is.
  if (event.kind === "transaction_prepared") return event.cause === "request" ? "trace" : "info";
  return LEVELS[event.kind] ?? "info";
}

/** A reader of the kernel's events that writes them to the log. */
export function traceTo(log: Logger): Tracer {
  return (event) => {
    const level = levelOf(event);
    if (level === "silent" || !log.isLevelEnabled(level)) return;
    const { kind, ...facts } = event;
    log[level](facts, kind.replaceAll("_", " "));
  };
}

/**
 * Writes down that a step failed which nobody asked for. What passes, such as a partition without a leader, is a warning in a
 * sentence: the step comes again. Anything else is an error, with the place where it was met.
 */
export function stepProblemTo(log: Logger): (step: string, problem: unknown) => void {
  return (step, problem) => {
    if (problem instanceof BrokerError && ERRORS[problem.code].retriable) {
      const { code, message, details } = problem;
      log.warn({ step, code, problem: message, details }, "a step could not be taken, and will be again");
    } else log.error({ step, err: problem }, "a step failed");
  };
}
