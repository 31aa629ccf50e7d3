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

/** What cannot be read, so that its connection ends: what came behind it is not read either. */
export interface Refusal {
  /** Its number, where it was counted; `null` where not even its end could be told. */
  readonly request: number | null;
  /** At whose port it came, in Kafka's protocol. */
  readonly brokerId?: number;
  readonly reason: string;
}

export interface Refused extends Refusal {
  readonly connection: number;
}

/** "ok", or the error that its client is told as a whole; `null` where it was not carried out and nobody was told. */
export type Outcome = string | null;

export type RequestEvent =
  | ({ readonly kind: "request_taken" } & Numbered & Asked)
  | ({ readonly kind: "request_done" } & Numbered &
      Asked & { readonly outcome: Outcome; readonly answered: boolean })
  | ({ readonly kind: "request_refused" } & Refused);
