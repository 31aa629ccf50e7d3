/** What every connection is given, and what it may take up. */
import type { Deadlines } from "../deadlines.ts";
import type { Recorder } from "../history/recorder.ts";
import type { Refused } from "../request-event.ts";
import type { OutputLimits } from "./output.ts";
import type { OutputBudget } from "./output-budget.ts";
import type { Sequence } from "./sequence.ts";
import type { Speech } from "./speech.ts";
import type { TurnLine } from "./turn-line.ts";

/** That who has done nothing wrong is closed, for what he did not do, is for everybody to read. */
export type ClosingLevel = "debug" | "info";

export interface ConnectionLimits {
  readonly requestsInHandMax: number;
  /**
   * A connection that for so long has nothing in hand, brings no whole request and reads nothing is closed (Kafka:
   * connections.max.idle.ms). A request that trickles in, and answers that nobody reads, count as idleness. `null`: it is never.
   */
  readonly idleMs: number | null;
  /** After its last answer was sent, a client has so long to read it and to close. */
  readonly lingerMs: number;
  readonly output: OutputLimits;
}

export interface ConnectionOptions {
  readonly speech: Speech;
  readonly limits: ConnectionLimits;
  readonly realTime: Deadlines;
  /** Shared by all connections. */
  readonly budget: OutputBudget;
  /** The same. */
  readonly turnLine: TurnLine;
  /** Counts the connections, from 1. */
  readonly number?: number;
  /** Who is told that a connection has ended, or has sent what cannot be read. */
  readonly recorder?: Pick<Recorder, "closed" | "refused">;
  /** Shared by all connections, where requests are taken one after the other; left out: each connection has its own order. */
  readonly sequence?: Sequence;
  /** What it has sent cannot be read, so that it ends. */
  readonly onRefused: (refused: Refused) => void;
  /** Why a connection was closed, for the log. */
  readonly onClosing: (reason: string, level: ClosingLevel) => void;
}
