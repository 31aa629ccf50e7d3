/** A producer without a sequence: it sends once, and what it is not told it doesn't know. */
import type { TopicPartition } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { Acks, SentRecord } from "../history/history.ts";
import { placeName } from "../world/topics.ts";
import { Client, type ClientWorld, codeOf, isInDoubt } from "./client.ts";
import { frameOf } from "./wire-records.ts";

export interface SendOrder {
  readonly place: TopicPartition;
  readonly keys: readonly (string | null)[];
  readonly isTombstone: boolean;
  readonly acks: Acks;
}

export class PlainProducer extends Client {
  readonly #valueBytes: number;
  #underWay = 0;

  constructor(name: string, world: ClientWorld, luck: Chance, valueBytes: number) {
    super(name, world, luck);
    this.#valueBytes = valueBytes;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  send({ place, keys, isTombstone, acks }: SendOrder): void {
    const records = keys.map((key): SentRecord => {
      const id = this.nextId();
      return { id, key, isTombstone: isTombstone && key !== null, copyOf: null };
    });
    void this.#send(place, records, acks);
  }

  async #send(place: TopicPartition, records: readonly SentRecord[], acks: Acks): Promise<void> {
    this.#underWay++;
    const { recorder, nowMs, witness } = this.world;
    const asked = { place: placeName(place), records, acks, sequence: null, transaction: null };
    const recorded = recorder.asked("send", this.name, asked);
    const timestampMs = nowMs();
    const batch = {
      records,
      timestampMs,
      sequence: null,
      isTransactional: false,
      valueBytes: this.#valueBytes,
    };
    const answer = await this.connection.ask((cluster, wait) => {
      const options = { acks, ...(acks === "all" ? wait : {}) };
      return witness.watched(
        { cluster, place, acks, sequence: null, records: records.length, isTransactional: false },
        cluster.appendBatch(place, frameOf(batch), options),
      );
    });
    if (answer.kind === "ok") {
      const { baseOffset, duplicate } = answer.value;
      if (acks === 0) recorded.unknown(null);
      else recorded.ok({ baseOffset, duplicate });
    } else if (isInDoubt(answer)) recorded.unknown(codeOf(answer));
    else recorded.failed(codeOf(answer));
    this.#underWay--;
  }
}
