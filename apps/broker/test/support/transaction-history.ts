/**
 * A history that chance has drawn: two transactional ids, three connections that send without waiting, on stepped brokers that replicate,
 * are promoted and crash. It keeps the book of what was answered.
 */
import { SeededRandom } from "@minikafka/core";
import { MemoryDisk } from "@minikafka/core/testing";
import type { Broker } from "../../src/daemon.ts";
import { type Answer, base64, openBroker, Session, settle } from "./broker.ts";
import { identityIn, TransactionBook, transactionOf } from "./transaction-book.ts";

type Request = { readonly operation: string; readonly [field: string]: unknown };
type Draw = () => Request;

const IDS = ["a", "b"];
const PARTITIONS = 2;
/** A request and a step, again and again. */
const STEPS = 400;

export class TransactionHistory {
  readonly book = new TransactionBook();
  readonly #random: SeededRandom;
  readonly #disk = new MemoryDisk();
  readonly #settings: { readonly brokers: number };
  readonly #newest = new Map<string, { producer_id: number; producer_epoch: number }>();
  readonly #sequences = new Map<string, number>();
  #unanswered = new Map<number, Request>();
  #requests = 0;
  #broker!: Broker;
  #sessions: Session[] = [];

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#settings = { brokers: this.#pick([1, 3]) };
  }

  /** Lives it, lets everything end, and returns what a reader sees of each partition. */
  async live(isolation: "read_committed" | "read_uncommitted" = "read_committed"): Promise<string[][]> {
    await this.#open();
    const config = { segment_bytes: 1024 };
    const replicas = this.#settings.brokers;
    await this.#session.call("create_topic", {
      topic: "orders",
      partitions: PARTITIONS,
      replication_factor: replicas,
      config,
    });
    for (let step = 0; step < STEPS; step += 1) {
      this.#ask(this.#pick(this.#draws)());
      if (this.#random.below(2) === 0) await this.#settle();
      if (this.#random.below(200) === 0) await this.#crash();
    }
    await this.#wind();
    return Promise.all(
      Array.from({ length: PARTITIONS }, (_none, partition) => this.#read(partition, isolation)),
    );
  }

  get #session(): Session {
    return this.#sessions[0] as Session;
  }

  /** One as likely as another; what is there several times is likelier. */
  get #draws(): Draw[] {
    const { brokers } = this.#settings;
    const times = (count: number, draw: Draw) => Array.from({ length: count }, () => draw);
    const bare =
      (operation: string): Draw =>
      () => ({ operation });
    return [
      () => ({ operation: "init_producer", transactional_id: this.#pick(IDS) }),
      ...times(5, () => ({ operation: "begin_transaction", ...this.#who() })),
      ...times(12, () => this.#produce()),
      ...times(2, () => this.#sendOffsets()),
      ...times(4, () => ({
        operation: "end_transaction",
        ...this.#who(),
        commit: this.#random.below(3) > 0,
      })),
      () => ({ operation: "advance_clock", ms: this.#pick([1, 100, 20_000]) }),
      () => ({
        operation: "fetch",
        ...this.#place(),
        offset: 0,
        isolation: "read_committed",
        max_wait_ms: 50,
      }),
      () => ({ operation: "describe_transaction", transactional_id: this.#pick(IDS) }),
      () => ({ operation: "roll_segment", ...this.#place() }),
      bare("expire_transactions"),
      ...(brokers === 1 ? [] : times(8, bare("replicate_once"))),
      ...(brokers === 1 ? [] : [() => this.#promote()]),
    ];
  }

  #produce(): Request {
    const who = this.#who();
    const place = this.#place();
    const lane = `${transactionOf(who)} ${place.partition}`;
    const base_sequence = this.#sequences.get(lane) ?? 0;
    const values = this.#random.below(2) === 0 ? ["x"] : ["x", "y"];
    this.#sequences.set(lane, base_sequence + values.length);
    const records = values.map((value) => ({ value_b64: base64(`${this.#requests}${value}`) }));
    const timeout_ms = this.#pick([100, 30_000]);
    return { operation: "produce", ...place, ...who, base_sequence, records, acks: "all", timeout_ms };
  }

  #sendOffsets(): Request {
    return {
      operation: "send_offsets",
      ...this.#who(),
      group_id: "g",
      offsets: [{ ...this.#place(), offset: 1 }],
    };
  }

  #promote(): Request {
    const topic = this.#pick(["orders", "__transaction_state", "__consumer_offsets"]);
    return {
      operation: "promote",
      topic,
      partition: this.#random.below(4),
      broker_id: 1 + this.#random.below(3),
    };
  }

  /** The newest instance of an id, most of the time. */
  #who(): { transactional_id: string; producer_id: number; producer_epoch: number } {
    const transactional_id = this.#pick(IDS);
    const newest = this.#newest.get(transactional_id) ?? { producer_id: 1, producer_epoch: 0 };
    const isOld = newest.producer_epoch > 0 && this.#random.below(20) === 0;
    return { transactional_id, ...newest, producer_epoch: newest.producer_epoch - (isOld ? 1 : 0) };
  }

  #place() {
    return { topic: "orders", partition: this.#random.below(PARTITIONS) };
  }

  #ask(request: Request): void {
    this.#requests += 1;
    this.#unanswered.set(this.#requests, request);
    this.#pick(this.#sessions).request({ ...request, id: this.#requests });
  }

  async #settle(): Promise<void> {
    await settle();
    for (const session of this.#sessions) for (const answer of session.answers.splice(0)) this.#note(answer);
  }

  #note(answer: Answer): void {
    const request = this.#unanswered.get(Number(answer.id));
    this.#unanswered.delete(Number(answer.id));
    if (request === undefined) return;
    if (answer.code === "INTERNAL_ERROR")
      throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(answer)}`);
    if (!answer.ok) return;
    const { operation, transactional_id: id } = request;
    if (operation === "end_transaction") this.book.ended(transactionOf(request), request.commit === true);
    if (operation === "end_transaction" || operation === "init_producer")
      this.#newest.set(String(id), identityIn(answer));
    if (operation === "produce") {
      const records = request.records as { value_b64: string }[];
      const values = records.map(({ value_b64: text }) => Buffer.from(text, "base64").toString());
      this.book.wrote(transactionOf(request), Number(request.partition), values);
    }
  }

  async #open(): Promise<void> {
    this.#broker = await openBroker(this.#settings, this.#disk, (broker) =>
      broker.close().catch(() => undefined),
    );
    this.#connect();
  }

  #connect(): void {
    this.#sessions = IDS.concat("c").map(() => Session.open(this.#broker));
    this.#unanswered.clear();
  }

  async #crash(): Promise<void> {
    await this.#settle();
    this.#disk.crash({ mode: this.#pick(["kept", "lost"] as const) });
    await this.#broker.cluster.crash();
    await this.#open();
  }

  /** What is open is aborted by its time, what was decided is completed. */
  async #wind(): Promise<void> {
    await this.#settle();
    this.#connect();
    for (let round = 0; round < 30; round += 1) {
      if (round % 10 === 5) this.#ask({ operation: "advance_clock", ms: 120_000 });
      if (round % 10 === 5) this.#ask({ operation: "expire_transactions" });
      this.#ask({ operation: "replicate_once" });
      await this.#settle();
    }
  }

  async #read(partition: number, isolation: string): Promise<string[]> {
    const reader = Session.open(this.#broker);
    const seen: string[] = [];
    for (let offset = 0; ; ) {
      const limits = { max_records: 1 + this.#random.below(5), max_bytes: this.#pick([1, 300, 100_000]) };
      const place = { topic: "orders", partition, offset, isolation };
      const { records, next_offset, high_watermark } = await reader.call("fetch", { ...place, ...limits });
      for (const { value_b64: text } of records as unknown as { value_b64: string }[])
        seen.push(Buffer.from(text, "base64").toString());
      if (next_offset === offset && offset < high_watermark)
        throw new Error(`partition ${partition} is stable up to ${offset} alone, of ${high_watermark}`);
      if (next_offset === offset) return seen;
      offset = next_offset;
    }
  }

  #pick<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.#random.below(choices.length)] as Choice;
  }
}
