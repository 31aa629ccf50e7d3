/** What a handler of an operation is given, and what it gives back. */
import type { BrokerCluster, Clock, ManualClock } from "@minikafka/core";
import type { OperationName, ParsedRequest, ResponseFields } from "@minikafka/protocol";
import type { Deadlines } from "../deadlines.ts";
import type { Parking, WaitHolder } from "../parking.ts";

/** The daemon, as its handlers see it. */
export interface BrokerContext {
  readonly cluster: BrokerCluster;
  /** The clock that the kernel has; a ManualClock just in manual mode. */
  readonly clock: Clock | ManualClock;
  /** Whether stepping operations are allowed; always so in manual mode. */
  readonly isLab: boolean;
  /** Deadlines of requests, on the broker's own time. */
  readonly deadlines: Deadlines;
  readonly parking: Parking;
}

/**
 * Takes effect before it returns, so that requests take effect in the order in which they came; only what it waits for may
 * come later (or it stands among those that hold back what follows: dispatch.ts). Throws or rejects with a BrokerError for what the client should be told.
 */
export type Handler<Name extends OperationName> = (
  request: ParsedRequest<Name>,
  context: BrokerContext,
  holder: WaitHolder,
) => ResponseFields<Name> | Promise<ResponseFields<Name>>;
