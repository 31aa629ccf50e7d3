/**
 * Who a producer is (KIP-98): an id, and an epoch that tells its instances apart.
 *
 * Owns: which ids were given away, the names that keep theirs, and the file that says so.
 * Invariants: an id belongs to one producer for ever, whatever instant the process dies at; the epoch of a name never goes
 * back; an instance is told of its identity after that is durable. So an epoch of a name may be skipped, and is given again only
 * to who repeats the request for it. The same goes for an id without a name, as long as the process lives and its epoch is kept:
 * its holder alone counts them, and is believed after a restart.
 * Never: a write taken from an instance of a name that is not the newest, on any partition.
 */
import { type BatchHeader, PRODUCER_EPOCH_MAX } from "@minikafka/record";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { checkpointOutcome } from "../log/files/checkpoint-outcome.ts";
import { quoted } from "../quoted.ts";
import { identityOf, isSame, nextEpoch, type ProducerIdentity } from "../replica/producer-identity.ts";
import { fenced, type ProducerRules } from "../replica/sequence-check.ts";
import type { Brokers } from "./brokers.ts";
import { type GivenProducerIds, type NamedProducer, producerNameProblem } from "./producer-ids-file.ts";
import { nextInstance } from "./producer-instance.ts";
import { neverGiven, overtaken, retired } from "./producer-refusals.ts";
import { TransactionalProducers } from "./transactional-producers.ts";

export interface ProducerInit {
  /** Keeps its id from one instance to the next, each of which ends the one before. Default: a producer of no name. */
  readonly name?: string;
  /** What the caller has now, and gives back for a newer epoch (KIP-360). */
  readonly current?: ProducerIdentity;
}

export interface ProducerIdsOptions {
  readonly file: CheckpointFile<GivenProducerIds>;
  /** What the file says now. */
  readonly given: GivenProducerIds;
  readonly brokers: Brokers;
  readonly duplicateWindow: number;
}

export class ProducerIds implements ProducerRules {
  readonly duplicateWindow: number;
  readonly transactional = new TransactionalProducers();
  readonly #file: CheckpointFile<GivenProducerIds>;
  readonly #brokers: Brokers;
  readonly #env: Env;
  readonly #byName = new Map<string, NamedProducer>();
  /** Present and retired ids of names. */
  readonly #byId = new Map<number, NamedProducer>();
  /**
   * Epochs of ids without a name that were given since the start. They need not outlive the process: they only hold up what
   * an older epoch has sent and what is still under way, on connections that end with it.
   */
  readonly #unnamedEpochs = new Map<number, number>();
  /** The next id to give. Those up to the file's number are ours to give without a word to the disk. */
  #next: number;
  #reservedEnd: number;
  /** Set when nobody knows what the file says any more. */
  #doubt: BrokerError | null = null;

  constructor({ file, given, brokers, duplicateWindow }: ProducerIdsOptions, env: Env) {
    this.duplicateWindow = duplicateWindow;
    this.#file = file;
    this.#brokers = brokers;
    this.#env = env;
    // Any id below may have been given in an earlier life.
    this.#next = given.nextProducerId;
    this.#reservedEnd = given.nextProducerId;
    for (const producer of given.named) this.#adopt(producer);
  }

  /**
   * An identity for a producer that begins, or that begins a new epoch; when this returns, it is nobody else's. Throws
   * INVALID_REQUEST, INVALID_CONFIG, PRODUCER_FENCED when `current` is not the newest of its name or id, UNKNOWN_PRODUCER_ID,
   * STORAGE_ERROR, BROKER_FAILED.
   */
  init({ name, current }: ProducerInit): ProducerIdentity {
    if (this.#doubt !== null) throw this.#doubt;
    if (current !== undefined) {
      this.#requireGiven(current);
      this.transactional.requireNone(current);
    }
    return name === undefined ? this.#initUnnamed(current) : this.#initNamed(name, current);
  }

  /** An id that nobody has, for good when this returns. Throws STORAGE_ERROR, BROKER_FAILED. */
  newProducerId(): number {
    if (this.#doubt !== null) throw this.#doubt;
    const { producerId, reservedEnd } = this.#nextId();
    if (reservedEnd > this.#reservedEnd) this.#write([...this.#byName.values()], reservedEnd);
    this.#next = producerId + 1;
    return producerId;
  }

  /**
   * What stands in a log was given, whatever the file says: it may have been put back from an older copy. Called for every log
   * before the first id is given.
   */
  learn(written: Iterable<ProducerIdentity>): void {
    const before = this.#next;
    for (const { producerId, producerEpoch } of written) {
      this.#next = Math.max(this.#next, producerId + 1);
      const named = this.#byId.get(producerId);
      if (named?.producerId === producerId && producerEpoch > named.producerEpoch)
        this.#adopt({ ...named, producerEpoch, bumpedFrom: null });
    }
    if (this.#next > before)
      this.#env.trace({ kind: "producer_ids_raised", from: before, to: this.#next, path: this.#file.path });
  }

  /**
   * Throws PRODUCER_FENCED or UNKNOWN_PRODUCER_ID when a batch is not of a producer that may write. Of a producer without a
   * name each partition knows the epoch that it saw last, too, and for longer.
   */
  requireCurrent(header: BatchHeader): void {
    this.#requireGiven(header);
    if (this.transactional.isOf(header)) return;
    const named = this.#byId.get(header.producerId);
    if (named === undefined) {
      const epoch = this.#unnamedEpochs.get(header.producerId) ?? 0;
      if (header.producerEpoch < epoch) throw fenced(header, epoch);
      return;
    }
    if (named.producerId !== header.producerId) throw retired(header, named);
    if (header.producerEpoch < named.producerEpoch) throw fenced(header, named.producerEpoch);
    if (header.producerEpoch > named.producerEpoch) throw neverGiven(header);
  }

  #initUnnamed(current: ProducerIdentity | undefined): ProducerIdentity {
    const named = current === undefined ? undefined : this.#byId.get(current.producerId);
    if (named !== undefined) {
      throw new BrokerError(
        "INVALID_REQUEST",
        `producer_id ${current?.producerId} belongs to the producer ${quoted(named.name)}; expected its name beside it`,
      );
    }
    // Nobody else has the id, so that its holder alone counts its epochs.
    if (current !== undefined && current.producerEpoch < PRODUCER_EPOCH_MAX) {
      const next = nextEpoch(current);
      const given = this.#unnamedEpochs.get(next.producerId) ?? 0;
      if (next.producerEpoch < given) throw fenced(current, given);
      this.#noteUnnamed(next);
      return this.#given(null, next);
    }
    return this.#given(null, { producerId: this.newProducerId(), producerEpoch: 0 });
  }

  #initNamed(name: string, current: ProducerIdentity | undefined): ProducerIdentity {
    const known = this.#byName.get(name);
    if (current !== undefined && known !== undefined) {
      // The answer to the same request may have been lost.
      if (known.bumpedFrom !== null && isSame(current, known.bumpedFrom)) return identityOf(known);
      if (!isSame(current, known)) throw overtaken(name, current, known);
    }
    this.#requireRoom(name, known);
    const { producerId, reservedEnd } = this.#nextId();
    const producer = nextInstance({ name, known, producerId, bumpedFrom: current ?? null });
    const others = [...this.#byName.values()].filter((each) => each !== known);
    const adopt = () => {
      this.#next = Math.max(this.#next, producer.producerId + 1);
      this.#adopt(producer);
    };
    this.#write([...others, producer], reservedEnd, adopt);
    return this.#given(name, producer);
  }

  #noteUnnamed({ producerId, producerEpoch }: ProducerIdentity): void {
    const epochs = this.#unnamedEpochs;
    epochs.delete(producerId);
    epochs.set(producerId, producerEpoch);
    if (epochs.size <= LIMITS.unnamedEpochsMax) return;
    for (const oldest of epochs.keys()) {
      epochs.delete(oldest);
      return;
    }
  }

  #requireRoom(name: string, known: NamedProducer | undefined): void {
    const problem = producerNameProblem(name);
    if (problem !== null) throw new BrokerError("INVALID_REQUEST", problem);
    if (known !== undefined || this.#byName.size < LIMITS.namedProducersMax) return;
    const message = `there are ${this.#byName.size} named producers; expected at most ${LIMITS.namedProducersMax}`;
    throw new BrokerError("INVALID_CONFIG", message);
  }

  /** The next free id, and up to where ids have to be reserved before it may be given. */
  #nextId(): { producerId: number; reservedEnd: number } {
    const producerId = this.#next;
    const isReserved = producerId < this.#reservedEnd;
    return {
      producerId,
      reservedEnd: isReserved ? this.#reservedEnd : producerId + LIMITS.producerIdsPerBlock,
    };
  }

  /**
   * What may stand in the file counts as given, also when the disk could not say that it does; and no later write would make
   * that sure.
   */
  #write(named: readonly NamedProducer[], reservedEnd: number, adopt: () => void = () => {}): void {
    try {
      this.#file.replace({ nextProducerId: reservedEnd, named });
    } catch (problem) {
      if (!(problem instanceof BrokerError) || checkpointOutcome(problem) !== "unknown") throw problem;
      this.#reservedEnd = reservedEnd;
      adopt();
      const message = `no producer id can be given until a restart: ${problem.message}`;
      this.#doubt = new BrokerError("BROKER_FAILED", message, problem.details);
      this.#brokers.failAll(problem.message);
      throw problem;
    }
    this.#reservedEnd = reservedEnd;
    adopt();
  }

  #adopt(producer: NamedProducer): void {
    this.#byName.set(producer.name, producer);
    for (const id of [producer.producerId, ...producer.retiredIds]) this.#byId.set(id, producer);
  }

  #given(name: string | null, { producerId, producerEpoch }: ProducerIdentity): ProducerIdentity {
    this.#env.trace({ kind: "producer_initialized", producerId, producerEpoch, name });
    return { producerId, producerEpoch };
  }

  #requireGiven(identity: ProducerIdentity): void {
    if (identity.producerId >= this.#next) throw neverGiven(identity);
  }
}
