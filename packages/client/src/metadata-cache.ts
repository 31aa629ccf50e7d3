/**
 * Which partitions a topic has and which of them have a leader, asked once and kept. A topic is asked for once at a time,
 * however many records wait for it.
 */
import type { ParsedResponse } from "@minikafka/protocol";
import { LIMITS } from "./limits.ts";
import { unplacedError } from "./producer/delivery-errors.ts";
import type { Session } from "./session.ts";
import { retrying } from "./waiting.ts";

export interface TopicMetadata {
  readonly partitionCount: number;
  /** Partitions with a leader, ascending; all of them when none has one. */
  readonly available: readonly number[];
  /** When it was asked for, on the clock's `elapsedMs`. */
  readonly readMs: number;
}

export class MetadataCache {
  readonly #session: Session;
  /** How long one load may take, its last attempt included. */
  readonly #patienceMs: number;
  /** Ends the trying again when the owner closes. */
  readonly #enough: AbortSignal;
  readonly #known = new Map<string, TopicMetadata>();
  readonly #loading = new Map<string, Promise<TopicMetadata>>();

  constructor(session: Session, patienceMs: number, enough: AbortSignal) {
    this.#session = session;
    this.#patienceMs = patienceMs;
    this.#enough = enough;
  }

  /** What is known of `topic`, however old. */
  get(topic: string): TopicMetadata | undefined {
    return this.#known.get(topic);
  }

  /** Asks anew for what is older than metadataAgeMsMax: a topic that was deleted and made again may have other partitions. */
  refreshOld(topic: string): void {
    const known = this.#known.get(topic);
    if (known === undefined) return;
    if (this.#session.clock.elapsedMs() - known.readMs > LIMITS.metadataAgeMsMax) this.refresh(topic);
  }

  /** Fails with what the broker said; retriable failures are tried again within the patience. */
  load(topic: string): Promise<TopicMetadata> {
    const loading = this.#loading.get(topic);
    if (loading !== undefined) return loading;
    const load = this.#load(topic).finally(() => this.#loading.delete(topic));
    this.#loading.set(topic, load);
    return load;
  }

  /** Asks anew and keeps what is known until the answer is there. */
  refresh(topic: string): void {
    this.load(topic).catch(() => this.#known.delete(topic));
  }

  forget(topic: string): void {
    this.#known.delete(topic);
  }

  async #load(topic: string): Promise<TopicMetadata> {
    const { clock, random } = this.#session;
    const readMs = clock.elapsedMs();
    const deadlineMs = readMs + this.#patienceMs;
    const answer = await retrying({ clock, random, deadlineMs, enough: this.#enough }, () => {
      const timeoutMsMax = Math.max(1, deadlineMs - clock.elapsedMs());
      return this.#session.call("metadata", { topic }, { timeoutMsMax });
    }).catch((error: unknown) => {
      throw unplacedError(topic, error, this.#enough.aborted ? null : this.#patienceMs);
    });
    const metadata = summary(answer, readMs);
    this.#known.set(topic, metadata);
    return metadata;
  }
}

function summary(answer: ParsedResponse<"metadata">, readMs: number): TopicMetadata {
  const led = answer.partitions.filter(({ leader_id }) => leader_id !== null);
  const usable = led.length > 0 ? led : answer.partitions;
  const available = usable.map(({ partition }) => partition).sort((left, right) => left - right);
  return { partitionCount: answer.partitions.length, available, readMs };
}
