/** Numbers for those who square them, in transactions of ten; those of every third one are wrong, and aborted before they are sent again. */
import type { Client, Producer, RecordMetadata } from "@minikafka/client";

export const NUMBERS_TOPIC = "numbers";

export class NumberFeed {
  readonly #producer: Producer;
  readonly #ends: number[];
  /** The first number that is not committed. */
  next = 0;

  constructor(client: Client, partitions: number) {
    this.#producer = client.producer({ transactionalId: "feeder" });
    this.#ends = Array.from({ length: partitions }, () => 0);
  }

  /** One more than the offset of the last committed number, by partition. */
  get ends(): readonly number[] {
    return this.#ends;
  }

  async sendTen(): Promise<void> {
    if (this.next % 3 === 0) await this.#send(-1.5);
    for (const { partition, offset } of await this.#send(1))
      this.#ends[partition] = Math.max(this.#ends[partition] ?? 0, (offset ?? 0) + 1);
    this.next += 10;
  }

  close(): Promise<void> {
    return this.#producer.close();
  }

  async #send(sign: number): Promise<RecordMetadata[]> {
    const tx = await this.#producer.beginTransaction();
    const numbers = Array.from({ length: 10 }, (_, index) => this.next + index);
    const landed = await tx.sendMany(
      numbers.map((number) => ({
        topic: NUMBERS_TOPIC,
        partition: number % this.#ends.length,
        value: `${sign * number}`,
      })),
    );
    await (sign === 1 ? tx.commit() : tx.abort());
    return landed;
  }
}
