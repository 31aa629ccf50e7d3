/** Who asked: the part of a connection that a handler may tie something to. */
import type { WaitHolder } from "../parking.ts";
import type { Refusal } from "../request-event.ts";
import type { Turns } from "./turns.ts";
import type { Watching } from "./watching.ts";

export interface Client extends WaitHolder {
  /** Counts the broker's connections, from 1. */
  readonly number: number;
  readonly watching: Watching;
  readonly groupTurns: Turns;
  readonly transactionTurns: Turns;
  /** Calls `act` once the answer of this request has gone out, and before the request behind it is taken. */
  afterAnswer(act: () => void): void;
  /** What it has sent cannot be read: says so to whom it may concern, and cuts it off. */
  refuse(refusal: Refusal): void;
  /** Closes at once, as when the peer or the line between had died: nothing more is taken or sent. */
  cut(reason: string): void;
}
