/**
 * An idempotent producer's batches for one partition: in order, at most five on their way, and with one sequence from the first
 * attempt to the last (KIP-98). After trouble they go one by one, oldest first, until all that were sent are through.
 */
import type { AppendResult, TopicPartition } from "@minikafka/core";
import type { Recorded } from "../history/recorder.ts";
import type { Answer } from "../network/connection.ts";
import { codeOf, isInDoubt, isPassing } from "./client.ts";

const IN_FLIGHT_MAX = 5;
const ATTEMPTS_MAX = 6;

export interface LaneBatch {
  readonly frame: () => Buffer;
  readonly recorded: Recorded<"send">;
  attempts: number;
  /** Some attempt may have taken effect. */
  isDoubtful: boolean;
  isUnderWay: boolean;
}

export interface LaneWorld {
  readonly send: (place: TopicPartition, batch: LaneBatch) => Promise<Answer<AppendResult>>;
  readonly wait: (ms: number) => Promise<void>;
  /** A batch was given up: nobody may take its sequence for another. */
  readonly gaveUp: () => void;
}

export class Lane {
  readonly place: TopicPartition;
  readonly #world: LaneWorld;
  /** Those without an answer that settles them, oldest first. */
  readonly #batches: LaneBatch[] = [];
  nextSequence = 0;
  /** One by one. */
  #isCareful = true;
  #isOver = false;
  #waits = false;

  constructor(place: TopicPartition, world: LaneWorld) {
    this.place = place;
    this.#world = world;
  }

  get isIdle(): boolean {
    return this.#batches.length === 0;
  }

  add(batch: LaneBatch): void {
    this.#batches.push(batch);
    this.#pump();
  }

  /** Nothing more is tried: the epoch is over. */
  close(code: string): void {
    this.#isOver = true;
    for (const { recorded, attempts, isDoubtful, isUnderWay } of this.#batches.splice(0)) {
      if (isDoubtful || isUnderWay) recorded.unknown(code, attempts);
      else recorded.failed(code, Math.max(1, attempts));
    }
  }

  #pump(): void {
    if (this.#isOver || this.#waits) return;
    const underWay = this.#batches.filter(({ isUnderWay }) => isUnderWay).length;
    const waiting = this.#batches.filter(({ isUnderWay }) => !isUnderWay);
    // What is sent again must not overtake what is on its way.
    const limit = this.#isCareful ? 1 : IN_FLIGHT_MAX;
    if (waiting.some(({ attempts }) => attempts > 0) && underWay > 0) return;
    for (const batch of waiting.slice(0, Math.max(0, limit - underWay))) void this.#send(batch);
  }

  async #send(batch: LaneBatch): Promise<void> {
    batch.isUnderWay = true;
    batch.attempts++;
    const answer = await this.#world.send(this.place, batch);
    batch.isUnderWay = false;
    if (this.#isOver) return;
    if (answer.kind === "ok") {
      const { baseOffset, duplicate } = answer.value;
      this.#batches.splice(this.#batches.indexOf(batch), 1);
      batch.recorded.ok({ baseOffset, duplicate }, batch.attempts);
      if (this.#batches.every(({ attempts, isUnderWay }) => attempts === 0 || isUnderWay))
        this.#isCareful = false;
      return this.#pump();
    }
    batch.isDoubtful ||= isInDoubt(answer);
    const isOldest = this.#batches[0] === batch;
    // One that came before those ahead of it finds its place later.
    const isEarly = answer.kind === "refused" && answer.code === "OUT_OF_ORDER_SEQUENCE" && !isOldest;
    if (batch.attempts >= ATTEMPTS_MAX || !(isPassing(answer) || isEarly)) {
      this.close(codeOf(answer));
      return this.#world.gaveUp();
    }
    this.#isCareful = true;
    this.#waits = true;
    await this.#world.wait(5 * batch.attempts);
    this.#waits = false;
    this.#pump();
  }
}
