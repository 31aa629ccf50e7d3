/**
 * Who an idempotent producer is (KIP-98), and when it becomes somebody else (KIP-360).
 *
 * Owns the identity, the wait between two attempts to get one, and the list of lanes that it is used in.
 *
 *   none     -> given    init_producer has answered
 *   given    -> ending   a batch was given up: its sequence must not go to other data. Nothing new is sent; what was sent is
 *                        sent again until its fate is known
 *   ending   -> given    the next epoch: once no batch of the old one is left
 *   any      -> fenced   a newer instance of the name is at work; for good
 *
 * Never: a sequence of one epoch while another's fate is open; two requests for an identity at once.
 */
import type { Cancel } from "../clock.ts";
import { hasCode, MiniKafkaError } from "../errors.ts";
import { backoffMs } from "../link/backoff.ts";
import type { Session } from "../session.ts";
import { RETRY_BACKOFF } from "../waiting.ts";
import { producerClosedError } from "./delivery-errors.ts";
import type { IdempotentVerdict } from "./idempotent-verdict.ts";
import type { ProducerIdentity } from "./lane-sequences.ts";
import type { PartitionLane } from "./partition-lane.ts";
import type { SequenceKeeper, SequenceListener } from "./sequence-keeper.ts";

export interface IdempotenceOptions {
  /** `undefined`: the producer is nobody's in particular. */
  readonly name: string | undefined;
  readonly deliveryTimeoutMs: number;
}

export class Idempotence implements SequenceKeeper {
  readonly isTransactional = false;
  readonly #session: Session;
  readonly #name: string | undefined;
  readonly #deliveryTimeoutMs: number;
  readonly #listener: SequenceListener;
  readonly #lanes = new Set<PartitionLane>();
  readonly #end = new AbortController();
  #identity: ProducerIdentity | null = null;
  #isEnding = false;
  #fencing: MiniKafkaError | null = null;
  #isAsking = false;
  #failures = 0;
  #cancelBackoff: Cancel | null = null;
  #mayRetry = true;

  constructor(session: Session, { name, deliveryTimeoutMs }: IdempotenceOptions, listener: SequenceListener) {
    this.#session = session;
    this.#name = name;
    this.#deliveryTimeoutMs = deliveryTimeoutMs;
    this.#listener = listener;
  }

  get identity(): ProducerIdentity | null {
    return this.#isEnding || this.#fencing !== null ? null : this.#identity;
  }

  visit(lane: PartitionLane): void {
    this.#lanes.add(lane);
    if (this.#fencing !== null) this.#listener.failWaiting(lane, this.#fencing);
    else this.#askIfNeeded();
  }

  judge(verdict: IdempotentVerdict): IdempotentVerdict {
    return verdict;
  }

  /** The present epoch ends. `isForgotten`: there is no identity to go on from. */
  endEpoch({ isForgotten }: { readonly isForgotten: boolean }): void {
    this.#isEnding = true;
    if (isForgotten) this.#identity = null;
  }

  fence(error: MiniKafkaError): void {
    this.#fencing ??= error;
    for (const lane of this.#lanes) this.#listener.failWaiting(lane, error);
  }

  stopRetrying(): void {
    this.#mayRetry = false;
    this.#stopBackoff();
    this.#askIfNeeded();
  }

  close(): void {
    this.#mayRetry = false;
    this.#stopBackoff();
    this.#end.abort(producerClosedError(false));
  }

  #askIfNeeded(): void {
    const isBusy = this.#isAsking || this.#cancelBackoff !== null || this.#end.signal.aborted;
    if (isBusy || this.identity !== null) return;
    const lanes = [...this.#lanes];
    if (lanes.some(({ hasWaiting }) => hasWaiting) && lanes.every(({ isQuiet }) => isQuiet)) void this.#ask();
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    const current = this.#identity;
    const fields = {
      ...(this.#name !== undefined && { name: this.#name }),
      ...(current !== null && { producer_id: current.producerId, producer_epoch: current.producerEpoch }),
    };
    try {
      const answer = await this.#session.call("init_producer", fields, {
        timeoutMsMax: this.#leftMs(),
        signal: this.#end.signal,
      });
      this.#isAsking = false;
      this.#begin({ producerId: answer.producer_id, producerEpoch: answer.producer_epoch });
    } catch (error) {
      this.#isAsking = false;
      if (!(error instanceof MiniKafkaError)) throw error;
      if (!this.#end.signal.aborted) this.#refused(error);
    }
  }

  #begin(identity: ProducerIdentity): void {
    this.#identity = identity;
    this.#isEnding = false;
    this.#failures = 0;
    for (const lane of this.#lanes) lane.restart();
    for (const lane of this.#lanes) this.#listener.laneFree(lane);
  }

  #refused(error: MiniKafkaError): void {
    if (hasCode(error, "PRODUCER_FENCED")) {
      this.fence(error);
      return;
    }
    if (hasCode(error, "UNKNOWN_PRODUCER_ID") && this.#identity !== null) {
      this.endEpoch({ isForgotten: true });
      this.#askIfNeeded();
      return;
    }
    if (!error.retriable || !this.#mayRetry) {
      for (const lane of this.#lanes) this.#listener.failWaiting(lane, error);
      return;
    }
    for (const lane of this.#lanes) this.#listener.failExpired(lane);
    this.#failures += 1;
    const delayMs = backoffMs(this.#failures, RETRY_BACKOFF, this.#session.random);
    this.#cancelBackoff = this.#session.clock.after(delayMs, () => {
      this.#cancelBackoff = null;
      this.#askIfNeeded();
    });
  }

  /** How long the first batch that waits may still take. */
  #leftMs(): number {
    const since = [...this.#lanes].flatMap(({ waitingSinceMs }) => waitingSinceMs ?? []);
    return Math.max(1, Math.min(...since) + this.#deliveryTimeoutMs - this.#session.clock.elapsedMs());
  }

  #stopBackoff(): void {
    this.#cancelBackoff?.();
    this.#cancelBackoff = null;
  }
}
