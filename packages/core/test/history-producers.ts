/** Idempotent producers of a history: which batches they have sent, and what was answered. */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import type { Random } from "../src/env/random.ts";
import type { AppendResult } from "../src/replica/append-options.ts";
import { sequenceName } from "./held-batches.ts";
import { batchFrom } from "./history-batch.ts";

const PRODUCERS = 3;
/** The window of batches that a partition knows, and a few that it does not know any more. */
const REMEMBERED = 8;

/** What a partition knows of a producer does not fit its batch: the producer has to begin anew. */
const SEQUENCE_CODES = ["OUT_OF_ORDER_SEQUENCE", "UNKNOWN_PRODUCER_ID", "PRODUCER_FENCED"];

/** A batch that a producer sends, for the first time or again. */
export interface SequencedBatch {
  readonly sequence: string;
  readonly text: string;
  readonly frame: Buffer;
  readonly isRetry: boolean;
}

interface Sender {
  producerId: number;
  producerEpoch: number;
  next: number;
  readonly sent: SequencedBatch[];
}

export class HistoryProducers {
  /** Where all have acknowledged a batch, by its sequence. */
  readonly acknowledged = new Map<string, number>();
  /** How many retries were answered with the first one's offset. */
  duplicates = 0;
  readonly #random: Random;
  readonly #senders: Sender[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The next batch of a producer, or one that it has sent before. */
  draw(cluster: BrokerCluster, text: string, nowMs: number): SequencedBatch {
    const sender = this.#sender(cluster);
    const { producerId, producerEpoch, sent } = sender;
    if (sent.length > 0 && this.#random.below(3) === 0) {
      const again = sent[this.#random.below(sent.length)];
      assert.ok(again !== undefined);
      return { ...again, frame: Buffer.from(again.frame), isRetry: true };
    }
    const sequence = sequenceName(producerId, producerEpoch, sender.next);
    const producer = { producerId, producerEpoch, baseSequence: sender.next };
    const frame = batchFrom(this.#random, text, nowMs, producer);
    sender.next += 1;
    const batch = { sequence, text, frame: Buffer.from(frame), isRetry: false };
    sent.push(batch);
    if (sent.length > REMEMBERED) sent.shift();
    return { ...batch, frame };
  }

  /** Where it was refused for its sequence, whoever sent it goes on in a new epoch, as an idempotent producer does (KIP-360). */
  refused(cluster: BrokerCluster, { sequence }: SequencedBatch, code: string): void {
    if (!SEQUENCE_CODES.includes(code)) return;
    const sender = this.#senders.find(({ sent }) => sent.some((each) => each.sequence === sequence));
    if (
      sender === undefined ||
      !sequence.startsWith(sequenceName(sender.producerId, sender.producerEpoch, 0).slice(0, -1))
    )
      return;
    const { producerId, producerEpoch } = sender;
    const given = cluster.initProducer({ current: { producerId, producerEpoch } });
    sender.producerId = given.producerId;
    sender.producerEpoch = given.producerEpoch;
    sender.next = 0;
  }

  /** A log that began anew behind a batch has forgotten it with its producer, and may take it as a new one (KIP-360). */
  answered(
    { sequence }: SequencedBatch,
    { baseOffset, duplicate }: AppendResult,
    logStartOffset: number,
  ): void {
    if (duplicate) this.duplicates++;
    const first = this.acknowledged.get(sequence) ?? -1;
    if (first >= logStartOffset)
      assert.equal(baseOffset, first, `a retry of ${sequence} is answered with the first one's offset`);
  }

  #sender(cluster: BrokerCluster): Sender {
    const drawn = this.#random.below(PRODUCERS);
    const present = this.#senders[drawn];
    if (present !== undefined) return present;
    const sender = { ...cluster.initProducer({}), next: 0, sent: [] };
    this.#senders.push(sender);
    return sender;
  }
}
