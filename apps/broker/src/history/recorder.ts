/**
 * Who writes the history: told of each request, answer and event.
 *
 * Owns which history is written just now. What belongs to an earlier one is not written any more.
 */

import type { DiskError } from "@minikafka/core";
import { FRAME_SIZE_BYTES } from "@minikafka/protocol/kafka";
import { type Answer, bytesOf } from "../connections/speech.ts";
import type { NumberedEvent } from "../event-feed.ts";
import type { KafkaPeer } from "../kafka/peer.ts";
import type { Refused } from "../request-event.ts";
import type { History } from "./history.ts";

export class Recorder {
  #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  get history(): History {
    return this.#history;
  }

  /** From now on another one is written. */
  write(history: History): void {
    this.#history = history;
  }

  /** A request is taken. Returns who is to be told the answer. */
  taken(number: number, connection: number, line: Buffer): (answer: Answer) => void {
    const history = this.#history;
    history.taken(number, connection, line);
    return (answer) => {
      if (answer === null || history !== this.#history) return;
      const text = typeof answer === "string" ? answer : bytesOf(answer).toString();
      history.answered(number, text.trimEnd());
    };
  }

  /** The same for a frame of Kafka's, without its size. */
  takenFrame(number: number, connection: number, frame: Buffer, peer: KafkaPeer): (answer: Answer) => void {
    const history = this.#history;
    history.takenFrame(number, connection, frame, peer);
    return (answer) => {
      if (answer !== null && history === this.#history)
        history.answeredFrame(number, bytesOf(answer).subarray(FRAME_SIZE_BYTES));
    };
  }

  /** For the feed of events. */
  take(event: NumberedEvent): void {
    this.#history.happened(event.line);
  }

  /** Not by an armed fault: what comes of it comes of no request. */
  failed(failure: DiskError): void {
    this.#history.end(failure);
  }

  refused(refused: Refused): void {
    this.#history.refused(refused);
  }

  closed(connection: number): void {
    this.#history.closed(connection);
  }
}
