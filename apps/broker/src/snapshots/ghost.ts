/**
 * A client that only a history tells of: what it asks is carried out, and nobody reads the answers.
 *
 * Owns what is tied to a connection: its waits and its turns. A fault that cuts it off ends it as it did then.
 */
import type { Client } from "../connections/client.ts";
import { Turns } from "../connections/turns.ts";
import { Watching } from "../connections/watching.ts";
import type { Wait } from "../parking.ts";
import type { Refusal, Refused } from "../request-event.ts";

export interface GhostEvents {
  readonly onRefused: (refused: Refused) => void;
  readonly onCut: () => void;
}

const NOBODY = { unsentBytes: 0, write: () => undefined, flush: () => undefined };

export class Ghost implements Client {
  readonly number: number;
  readonly waits = new Set<Wait>();
  readonly watching = new Watching(NOBODY, 1);
  readonly groupTurns = new Turns();
  readonly transactionTurns = new Turns();

  readonly #events: GhostEvents | null;

  constructor(number: number, events: GhostEvents | null = null) {
    this.number = number;
    this.#events = events;
  }

  /** What comes after an answer is for who reads it. */
  afterAnswer(): void {}

  refuse(refusal: Refusal): void {
    this.#events?.onRefused({ connection: this.number, ...refusal });
    this.cut();
  }

  cut(): void {
    this.#events?.onCut();
  }

  end(): void {
    this.watching.end();
    for (const wait of [...this.waits]) wait.end();
  }
}
