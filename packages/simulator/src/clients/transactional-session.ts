/**
 * What an instance of a transactional id knows and does, as the SDK does it: each request is sent again with the same identity while
 * that may help, and what is left in doubt is ended by asking for a new epoch (KIP-98, KIP-360, KIP-890).
 *
 * Owns: the identity, the transaction that is open as far as it knows, the sequences in it.
 */
import type { ProducerIdentity, TopicPartition } from "@minikafka/core";
import type { SentRecord } from "../history/history.ts";
import type { PlacedOffset } from "../history/place.ts";
import { placeName } from "../world/topics.ts";
import { type Client, codeOf, isSure } from "./client.ts";
import { frameOf } from "./wire-records.ts";

const ATTEMPTS_MAX = 6;
/** The instance is another one from here on. */
const FATAL = ["PRODUCER_FENCED", "UNKNOWN_PRODUCER_ID", "UNKNOWN_TRANSACTIONAL_ID"];
/** A commit that is refused so never took effect, whatever became of earlier attempts. */
const CERTAINLY_NOT_COMMITTED = ["TRANSACTION_ABORTED", "INVALID_TRANSACTION_STATE"];

export interface TransactionalOptions {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  readonly valueBytes: number;
}

/** "failed": it certainly never took effect. */
export type SendOutcome = "ok" | "failed" | "unknown";

export interface OffsetsOf {
  readonly groupId: string;
  readonly member: { readonly memberId: string; readonly generation: number } | null;
  readonly offsets: readonly (TopicPartition & { readonly offset: number })[];
}

export class TransactionalSession {
  readonly #client: Client;
  readonly #options: TransactionalOptions;
  #identity: ProducerIdentity | null = null;
  /** Somebody has to ask for a new epoch before anything else. */
  #isWorn = false;
  #transaction: string | null = null;
  #begun = 0;
  readonly #sequences = new Map<string, number>();

  constructor(client: Client, options: TransactionalOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Whether it has an identity with which a transaction may begin. */
  async ready(): Promise<boolean> {
    if (this.#identity !== null && !this.#isWorn) return true;
    const { transactionalId, timeoutMs } = this.#options;
    const current = this.#identity ?? undefined;
    const recorded = this.#client.world.recorder.asked("init_producer", this.#client.name, {
      transactionalId,
    });
    const { answer, attempts } = await this.#client.insist(
      (cluster, wait) => cluster.transactions.init({ transactionalId, timeoutMs, current }, wait),
      { attemptsMax: ATTEMPTS_MAX },
    );
    if (answer.kind !== "ok") {
      recorded.unknown(codeOf(answer), attempts);
      this.#identity = null;
      return false;
    }
    recorded.ok(answer.value, attempts);
    this.#adopt(answer.value);
    return true;
  }

  async begin(): Promise<boolean> {
    const identity = this.#require();
    const { transactionalId } = this.#options;
    const transaction = `${this.#client.name}:t${this.#begun++}`;
    const recorded = this.#client.world.recorder.asked("begin_transaction", this.#client.name, {
      transaction,
      transactionalId,
      ...identity,
    });
    const { answer, attempts, isDoubtful } = await this.#client.insist(
      (cluster, wait) => cluster.transactions.begin({ transactionalId, ...identity }, wait),
      { attemptsMax: ATTEMPTS_MAX },
    );
    this.#transaction = transaction;
    this.#sequences.clear();
    const isBegun =
      answer.kind === "ok" ||
      (answer.kind === "refused" && answer.code === "INVALID_TRANSACTION_STATE" && isDoubtful);
    if (isBegun) recorded.ok({}, attempts);
    else
      this.#refused(recorded, codeOf(answer), { attempts, isDoubtful: isDoubtful || answer.kind === "lost" });
    return isBegun;
  }

  async send(place: TopicPartition, records: readonly SentRecord[]): Promise<SendOutcome> {
    const { transactionalId, valueBytes } = this.#options;
    const identity = this.#require();
    const name = placeName(place);
    const baseSequence = this.#sequences.get(name) ?? 0;
    this.#sequences.set(name, baseSequence + records.length);
    const sequence = { ...identity, baseSequence };
    const { recorder, nowMs, witness } = this.#client.world;
    const asked = { place: name, records, acks: "all", sequence, transaction: this.#transaction } as const;
    const recorded = recorder.asked("send", this.#client.name, asked);
    const batch = { records, timestampMs: nowMs(), sequence, isTransactional: true, valueBytes };
    const { answer, attempts, isDoubtful } = await this.#client.insist(
      (cluster, wait) => {
        const appended = cluster.transactions.append(place, frameOf(batch), { transactionalId, ...wait });
        const facts = { acks: "all", sequence, records: records.length, isTransactional: true } as const;
        return witness.watched({ cluster, place, ...facts }, appended);
      },
      { attemptsMax: ATTEMPTS_MAX },
    );
    if (answer.kind === "ok") {
      const { baseOffset, duplicate } = answer.value;
      recorded.ok({ baseOffset, duplicate }, attempts);
      return "ok";
    }
    return this.#refused(recorded, codeOf(answer), {
      attempts,
      isDoubtful: isDoubtful || answer.kind === "lost",
    });
  }

  async sendOffsets({ groupId, member, offsets }: OffsetsOf): Promise<boolean> {
    const { transactionalId } = this.#options;
    const caller = { transactionalId, ...this.#require() };
    const placed = offsets.map((each): PlacedOffset => ({ place: placeName(each), offset: each.offset }));
    const recorded = this.#client.world.recorder.asked("send_offsets", this.#client.name, {
      transaction: this.#transaction ?? "",
      groupId,
      member,
      offsets: placed,
    });
    const request = {
      ...caller,
      groupId,
      member,
      offsets: offsets.map((each) => ({ ...each, metadata: null })),
    };
    const { answer, attempts, isDoubtful } = await this.#client.insist(
      (cluster, wait) => cluster.transactions.sendOffsets(request, wait),
      { attemptsMax: ATTEMPTS_MAX },
    );
    if (answer.kind === "ok") recorded.ok({}, attempts);
    else
      this.#refused(recorded, codeOf(answer), { attempts, isDoubtful: isDoubtful || answer.kind === "lost" });
    return answer.kind === "ok";
  }

  /** Resolves with whether it is known to have ended as it was asked to. */
  async end(commit: boolean): Promise<boolean> {
    const { transactionalId } = this.#options;
    const identity = this.#require();
    const recorded = this.#client.world.recorder.asked("end_transaction", this.#client.name, {
      transaction: this.#transaction ?? "",
      commit,
    });
    const { answer, attempts, isDoubtful } = await this.#client.insist(
      (cluster, wait) => cluster.transactions.end({ transactionalId, ...identity, commit }, wait),
      { attemptsMax: ATTEMPTS_MAX + 2 },
    );
    this.#transaction = null;
    if (answer.kind === "ok") {
      recorded.ok({}, attempts);
      this.#adopt(answer.value);
      return true;
    }
    const code = codeOf(answer);
    this.#isWorn = true;
    if (FATAL.includes(code)) this.#identity = null;
    if (CERTAINLY_NOT_COMMITTED.includes(code) || (FATAL.includes(code) && !isDoubtful)) {
      if (commit) recorded.failed(code, attempts);
      else recorded.unknown(code, attempts);
    } else recorded.unknown(code, attempts);
    return false;
  }

  /** What is open is left to its timeout, or to whoever comes next under this id: it goes on as a new instance. */
  leave(): void {
    this.#identity = null;
    this.#transaction = null;
  }

  #refused(
    recorded: {
      failed(code: string, attempts?: number): void;
      unknown(code: string, attempts?: number): void;
    },
    code: string,
    { attempts, isDoubtful }: { attempts: number; isDoubtful: boolean },
  ): "failed" | "unknown" {
    const outcome = isSure(code) && !isDoubtful ? "failed" : "unknown";
    recorded[outcome](code, attempts);
    this.#isWorn = true;
    if (FATAL.includes(code)) this.#identity = null;
    return outcome;
  }

  #adopt(identity: ProducerIdentity): void {
    this.#identity = { producerId: identity.producerId, producerEpoch: identity.producerEpoch };
    this.#isWorn = false;
    this.#transaction = null;
    this.#sequences.clear();
  }

  #require(): ProducerIdentity {
    // What was refused has taken it away; the broker says the same again to who asks with another.
    return this.#identity ?? { producerId: 0, producerEpoch: 0 };
  }
}
