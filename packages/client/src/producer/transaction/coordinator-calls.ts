/**
 * What a transactional producer asks of its coordinator. Each call is tried again while it fails with a retriable error, a lost
 * answer included, for as long as `deliveryTimeoutMs`: asked again with the same identity, the coordinator gives the same answer.
 */
import {
  type Committer,
  commitDiagnostics,
  type IdentifiedOffset,
  offsetRequests,
} from "../../consumer/group/offset-commits.ts";
import { traced } from "../../diagnostics.ts";
import { hasCode, isFateUnknown, MiniKafkaError } from "../../errors.ts";
import type { CallOptions, Session } from "../../session.ts";
import { retrying } from "../../waiting.ts";
import { inDoubt } from "../delivery-errors.ts";
import type { ProducerIdentity } from "../lane-sequences.ts";
import type { TransactionSettings } from "../producer-options.ts";

export interface PatientSettings extends TransactionSettings {
  readonly deliveryTimeoutMs: number;
}

export class CoordinatorCalls {
  readonly #session: Session;
  readonly #settings: PatientSettings;
  /** Nothing is tried again any more. */
  readonly #enough = new AbortController();
  /** Nothing is waited for any more. */
  readonly #giveUp = new AbortController();

  constructor(session: Session, settings: PatientSettings) {
    this.#session = session;
    this.#settings = settings;
  }

  /**
   * A new identity, when the transaction that the instance before has open is ended; of `current` the next one (KIP-360), or
   * another when the coordinator does not know it. Fails with PRODUCER_FENCED when `current` is not the newest.
   */
  async init(current: ProducerIdentity | null): Promise<ProducerIdentity> {
    const { transactionalId, transactionTimeoutMs } = this.#settings;
    const fields = {
      transactional_id: transactionalId,
      ...(transactionTimeoutMs !== undefined && { transaction_timeout_ms: transactionTimeoutMs }),
      ...(current !== null && { producer_id: current.producerId, producer_epoch: current.producerEpoch }),
    };
    try {
      const answer = await this.#patiently((options) => this.#session.call("init_producer", fields, options));
      return { producerId: answer.producer_id, producerEpoch: answer.producer_epoch };
    } catch (error) {
      if (current === null || !hasCode(error, "UNKNOWN_PRODUCER_ID", "UNKNOWN_TRANSACTIONAL_ID")) throw error;
      return this.init(null);
    }
  }

  /** Fails with INVALID_TRANSACTION_STATE when one is open already, which an attempt without an answer may have begun. */
  async begin(identity: ProducerIdentity): Promise<void> {
    await this.#patiently((options) => this.#session.call("begin_transaction", this.#of(identity), options));
  }

  /** All of the offsets or, when it fails, perhaps some: the transaction is to be aborted then. `enough` ends the trying again. */
  async sendOffsets(
    identity: ProducerIdentity,
    groupId: string,
    member: Committer | null,
    offsets: readonly IdentifiedOffset[],
    enough: AbortSignal,
  ): Promise<void> {
    for (const some of offsetRequests(groupId, member, offsets)) {
      const fields = { ...this.#of(identity), ...some };
      const told = () => commitDiagnostics(some, this.#settings.transactionalId);
      await this.#patiently(
        (options) =>
          traced("minikafka:commit", told, () => this.#session.call("send_offsets", fields, options)),
        enough,
      );
    }
  }

  /**
   * Resolves, when every partition has its marker, with the identity of the next transaction. An error for which `isFateUnknown`
   * holds leaves open whether the transaction is ended so, or will be.
   */
  end(identity: ProducerIdentity, commit: boolean): Promise<ProducerIdentity> {
    const { transactionalId } = this.#settings;
    return traced(
      "minikafka:transaction",
      () => ({ transactionalId, ...identity, end: commit ? "commit" : "abort" }),
      () => this.#end(identity, commit),
    );
  }

  async #end(identity: ProducerIdentity, commit: boolean): Promise<ProducerIdentity> {
    let isInDoubt = false;
    const fields = { ...this.#of(identity), commit };
    try {
      const answer = await this.#patiently((options) =>
        this.#session.call("end_transaction", fields, options).catch((error) => {
          isInDoubt ||= error instanceof MiniKafkaError && isFateUnknown(error);
          throw error;
        }),
      );
      return { producerId: answer.producer_id, producerEpoch: answer.producer_epoch };
    } catch (error) {
      throw isInDoubt && error instanceof MiniKafkaError ? inDoubt(error) : error;
    }
  }

  /** Somebody else's call, which the transaction needs: tried again as its own are. `enough` ends the trying again. */
  retrying<T>(attempt: () => Promise<T>, enough: AbortSignal): Promise<T> {
    return this.#patiently(attempt, enough);
  }

  /** From now on nothing is tried again. */
  stopRetrying(): void {
    this.#enough.abort();
  }

  /** What is under way fails with `reason`. */
  giveUp(reason: MiniKafkaError): void {
    this.#enough.abort();
    this.#giveUp.abort(reason);
  }

  #of({ producerId, producerEpoch }: ProducerIdentity) {
    const { transactionalId } = this.#settings;
    return { transactional_id: transactionalId, producer_id: producerId, producer_epoch: producerEpoch };
  }

  #patiently<T>(
    attempt: (options: CallOptions & { timeoutMsMax: number }) => Promise<T>,
    enough = this.#enough.signal,
  ): Promise<T> {
    const { clock, random } = this.#session;
    const deadlineMs = clock.elapsedMs() + this.#settings.deliveryTimeoutMs;
    return retrying({ clock, random, deadlineMs, enough }, () => {
      const timeoutMsMax = Math.max(1, deadlineMs - clock.elapsedMs());
      return attempt({ timeoutMsMax, signal: this.#giveUp.signal });
    });
  }
}
