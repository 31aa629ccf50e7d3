/** A request as those who watch requests are told of it: which it is and what it is about, and nothing of what it holds. */
import type { RequestId } from "@minikafka/protocol";

/** Which one it is. */
export interface Numbered {
  /** Counts requests in the order in which they were taken, as a trace does. */
  readonly request: number;
  readonly connection: number;
}

export interface Asked {
  /** As the point of its faults, but for `request.`; `null` where there is none that can be carried out. */
  readonly operation: string | null;
  readonly id: RequestId | null;
  readonly topic?: string;
  readonly partition?: number;
  readonly brokerId?: number;
}

/** "ok", or the error that its client is told as a whole; `null` where it was not carried out and nobody was told. */
export type Outcome = string | null;

export type RequestEvent =
  | ({ readonly kind: "request_taken" } & Numbered & Asked)
  | ({ readonly kind: "request_done" } & Numbered &
      Asked & { readonly outcome: Outcome; readonly answered: boolean });
