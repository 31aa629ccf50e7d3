/** A producer whose batches are written once, however often they are sent (KIP-98); after one that it gives up it begins a new epoch (KIP-360). */
import type { AppendResult, ProducerIdentity, TopicPartition } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { SentRecord } from "../history/history.ts";
import type { Answer } from "../network/connection.ts";
import { placeName } from "../world/topics.ts";
import { Client, type ClientWorld, codeOf } from "./client.ts";
import { Lane, type LaneBatch } from "./lane.ts";
import type { SendOrder } from "./plain-producer.ts";
import { frameOf } from "./wire-records.ts";

export interface IdempotentOptions {
  readonly valueBytes: number;
  /** Whether it names the leader epoch that it knows. */
  readonly namesEpoch: boolean;
}

export class IdempotentProducer extends Client {
  readonly #options: IdempotentOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #epochs = new Map<string, number>();
  readonly #orders: SendOrder[] = [];
  #identity: ProducerIdentity | null = null;
  #isOver = false;
  #isInitializing = false;

  constructor(name: string, world: ClientWorld, luck: Chance, options: IdempotentOptions) {
    super(name, world, luck);
    this.#options = options;
  }

  get isIdle(): boolean {
    const isDone = this.#orders.length === 0 && [...this.#lanes.values()].every(({ isIdle }) => isIdle);
    return isDone && !this.#isInitializing;
  }

  send(order: SendOrder): void {
    this.#orders.push(order);
    this.#pump();
  }

  #pump(): void {
    if (this.#isInitializing) return;
    if (this.#identity === null || this.#isOver) return void this.#initialize();
    for (const order of this.#orders.splice(0)) this.#sendAs(order, this.#identity);
  }

  #sendAs({ place, keys, isTombstone, acks }: SendOrder, identity: ProducerIdentity): void {
    const records = keys.map((key): SentRecord => {
      const id = this.nextId();
      return { id, key, isTombstone: isTombstone && key !== null, copyOf: null };
    });
    const lane = this.#laneOf(place);
    const sequence = { ...identity, baseSequence: lane.nextSequence };
    lane.nextSequence += records.length;
    const { recorder, nowMs } = this.world;
    const asked = { place: placeName(place), records, acks, sequence, transaction: null };
    const content = { records, timestampMs: nowMs(), sequence, isTransactional: false };
    const { valueBytes } = this.#options;
    lane.add({
      frame: () => frameOf({ ...content, valueBytes }),
      recorded: recorder.asked("send", this.name, asked),
      attempts: 0,
      isDoubtful: false,
      isUnderWay: false,
    });
  }

  #laneOf(place: TopicPartition): Lane {
    const name = placeName(place);
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane = new Lane(place, {
      send: (to, batch) => this.#ask(to, batch),
      wait: (ms) => this.wait(ms),
      gaveUp: () => this.#giveUp(),
    });
    this.#lanes.set(name, lane);
    return lane;
  }

  async #ask(place: TopicPartition, { frame, recorded }: LaneBatch): Promise<Answer<AppendResult>> {
    const { acks, sequence, records } = recorded.operation.asked;
    const name = placeName(place);
    const leaderEpoch = this.#options.namesEpoch ? this.#epochs.get(name) : undefined;
    const { witness } = this.world;
    const answer = await this.connection.ask((cluster, wait) => {
      const options = {
        acks,
        ...(leaderEpoch === undefined ? {} : { leaderEpoch }),
        ...(acks === "all" ? wait : {}),
      };
      const watched = { cluster, place, acks, sequence, records: records.length, isTransactional: false };
      return witness.watched(watched, cluster.appendBatch(place, frame(), options));
    });
    if (this.#options.namesEpoch && answer.kind !== "ok") await this.#learnEpoch(place);
    return answer;
  }

  async #learnEpoch({ topic, partition }: TopicPartition): Promise<void> {
    const answer = await this.connection.ask((cluster) => cluster.metadata(topic));
    if (answer.kind !== "ok") return;
    const told = answer.value.partitions.find((each) => each.partition === partition);
    if (told !== undefined) this.#epochs.set(`${topic}/${partition}`, told.leaderEpoch);
  }

  /** Sequences that were given to batches of unknown fate are given to no others: all goes on in a new epoch. */
  #giveUp(): void {
    this.#isOver = true;
    for (const lane of this.#lanes.values()) lane.close("GIVEN_UP");
    this.#lanes.clear();
    this.#pump();
  }

  async #initialize(): Promise<void> {
    this.#isInitializing = true;
    const current = this.#identity ?? undefined;
    const recorded = this.world.recorder.asked("init_producer", this.name, { transactionalId: null });
    const { answer, attempts } = await this.insist(
      (cluster) => cluster.initProducer(current === undefined ? {} : { current }),
      { attemptsMax: 20 },
    );
    this.#isInitializing = false;
    if (answer.kind === "ok") {
      this.#identity = answer.value;
      this.#isOver = false;
      recorded.ok(answer.value, attempts);
      return this.#pump();
    }
    recorded.unknown(codeOf(answer), attempts);
    // It begins as somebody else with its next order.
    this.#identity = null;
    this.#orders.length = 0;
  }
}
