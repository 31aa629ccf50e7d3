/**
 * Which producer ids belong to a transactional id.
 *
 * Owns: the ids that the coordinator's records have told of since the start.
 * Invariant: an id that a transactional id has, or had, is nobody else's: it writes in transactions alone.
 */
import type { BatchHeader } from "@minikafka/record";
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";

export interface TransactionalProducer extends ProducerIdentity {
  readonly transactionalId: string;
}

export class TransactionalProducers {
  readonly #byId = new Map<number, string>();

  /** The producer id is the transactional id's; one that it had before stays so. */
  add({ producerId, transactionalId }: TransactionalProducer): void {
    this.#byId.set(producerId, transactionalId);
  }

  /** The transactional id is forgotten. Nobody else is given the producer id all the same. */
  remove({ producerId }: ProducerIdentity): void {
    this.#byId.delete(producerId);
  }

  /** Whose it is; `null` for none that is known. */
  idOf(producerId: number): string | null {
    return this.#byId.get(producerId) ?? null;
  }

  /**
   * Whether the batch is of a transactional id, whose coordinator has judged it then. Throws INVALID_TRANSACTION_STATE for one of it
   * that comes without a transaction. Kafka: "Expected transactional write from producer".
   */
  isOf({ producerId, transactional }: BatchHeader): boolean {
    const transactionalId = this.#byId.get(producerId);
    if (transactionalId === undefined || transactional) return transactionalId !== undefined;
    const message = `producer_id ${producerId} belongs to the transactional id ${quoted(transactionalId)}, and the batch is of no transaction; expected one that is`;
    throw new BrokerError("INVALID_TRANSACTION_STATE", message, { producer_id: producerId });
  }

  /** Throws INVALID_REQUEST when the id is one that only its transactional id gets a newer epoch of. */
  requireNone({ producerId }: ProducerIdentity): void {
    const transactionalId = this.#byId.get(producerId);
    if (transactionalId === undefined) return;
    const message = `producer_id ${producerId} belongs to the transactional id ${quoted(transactionalId)}; expected transactional_id beside it`;
    throw new BrokerError("INVALID_REQUEST", message);
  }
}
