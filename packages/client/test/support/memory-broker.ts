/** A scripted peer that keeps topics in memory and answers by itself what a test does not want to answer by hand. */

import { compression } from "@minikafka/compression";
import {
  type ErrorCode,
  encodeBase64,
  type OperationName,
  type ParsedRequest,
  type ResponseFields,
} from "@minikafka/protocol";
import {
  assignBatch,
  decodeRecords,
  encodeBatch,
  plainFrame,
  type Record,
  readBatchHeader,
  type StoredRecord,
} from "@minikafka/record";
import { GroupModel } from "./group-model.ts";
import { ProducerMemory } from "./producer-memory.ts";
import { isRequest, ScriptedPeer, type SeenRequest } from "./scripted-peer.ts";
import { TransactionModel } from "./transaction-model.ts";

type PartitionAnswer = ResponseFields<"fetch_many">["partitions"][number];

interface Read {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly bytesMax: number;
  readonly firstBytesMax: number;
  readonly isolation: "read_uncommitted" | "read_committed";
}

export class MemoryBroker {
  readonly peer = new ScriptedPeer();
  readonly producers = new ProducerMemory();
  readonly groups = new GroupModel((topic) => ({
    topicId: this.#topicId(topic),
    partitions: this.#topics.get(topic)?.length ?? 0,
  }));
  readonly transactions = new TransactionModel({
    nextIdentity: (name) => {
      const { producer_id: producerId, producer_epoch: producerEpoch } = this.producers.init(
        `tx ${name}`,
        undefined,
        undefined,
      );
      return { producerId, producerEpoch };
    },
    appendMarker: (place, frame) => {
      const at = place.lastIndexOf("/");
      return this.appendFrame(place.slice(0, at), Number(place.slice(at + 1)), frame);
    },
    checkOffsets: (fields) => this.groups.refusal(fields),
    commitOffsets: (fields) => this.groups.store(fields),
  });
  readonly #topics = new Map<string, Buffer[][]>();
  /** How often each was created beside those that were there from the start. */
  readonly #creations = new Map<string, number>();
  /** Operations that are left to the test, and how often. */
  readonly #byHand = new Map<OperationName, number>();
  /** Every produce that was answered or left to the test, in order. */
  readonly produced: ParsedRequest<"produce">[] = [];
  readonly fetched: ParsedRequest<"fetch_many">[] = [];
  readonly heartbeats: ParsedRequest<"heartbeat">[] = [];
  /** Whether a fetch that may wait is held back while nothing is there; without, it is answered at once. */
  holdsFetches = false;
  #held: SeenRequest<"fetch_many">[] = [];
  /** Lets a test change what is answered for a partition. */
  partitionAnswer: ((topic: string, partition: number) => PartitionAnswer | null) | null = null;

  constructor(topics: { readonly [topic: string]: number } = {}) {
    for (const [topic, partitions] of Object.entries(topics))
      this.#topics.set(
        topic,
        Array.from({ length: partitions }, () => []),
      );
    this.groups.isUnstable = (groupId, place) => this.transactions.isUnstable(groupId, place);
    this.peer.handle((request) => this.#handle(request));
  }

  /** Leaves the next `count` requests of the operation to the test's `peer.next`. */
  byHand(operation: OperationName, count = Number.POSITIVE_INFINITY): void {
    this.#byHand.set(operation, count);
  }

  create(topic: string, partitions: number): void {
    this.#creations.set(topic, (this.#creations.get(topic) ?? 0) + 1);
    this.#topics.set(
      topic,
      Array.from({ length: partitions }, () => []),
    );
  }

  delete(topic: string): void {
    this.#topics.delete(topic);
  }

  records(topic: string, partition: number): StoredRecord[] {
    return (this.#topics.get(topic)?.[partition] ?? []).flatMap((frame) =>
      decodeRecords(plainFrame(frame, compression)),
    );
  }

  values(topic: string, partition: number): (string | null)[] {
    return this.records(topic, partition).map(({ value }) =>
      value === null ? null : Buffer.from(value).toString(),
    );
  }

  /** Appends records as one batch, as if somebody else had produced them. */
  append(topic: string, partition: number, values: readonly string[]): void {
    const records: Record[] = values.map((value) => ({
      key: null,
      value: Buffer.from(value),
      timestampMs: 0,
      headers: [],
    }));
    this.appendFrame(topic, partition, encodeBatch({ records }));
  }

  appendFrame(topic: string, partition: number, frame: Buffer): number {
    const frames = this.#frames(topic, partition);
    const baseOffset = this.end(topic, partition);
    assignBatch(frame, { baseOffset, leaderEpoch: 0 });
    frames.push(frame);
    const held = this.#held;
    this.#held = [];
    for (const request of held) this.answerFetch(request);
    return baseOffset;
  }

  end(topic: string, partition: number): number {
    const last = this.#frames(topic, partition).at(-1);
    return last === undefined ? 0 : readBatchHeader(last).nextOffset;
  }

  /** Batches as they were appended. */
  frames(topic: string, partition: number): readonly Buffer[] {
    return this.#frames(topic, partition);
  }

  #frames(topic: string, partition: number): Buffer[] {
    const frames = this.#topics.get(topic)?.[partition];
    if (frames === undefined) throw new Error(`the test has no ${topic}/${partition}`);
    return frames;
  }

  #handle(request: SeenRequest): boolean {
    const { operation } = request.fields;
    if (isRequest(request, "produce")) this.produced.push(request.fields);
    if (isRequest(request, "fetch_many")) this.fetched.push(request.fields);
    if (isRequest(request, "heartbeat")) this.heartbeats.push(request.fields);
    const left = this.#byHand.get(operation) ?? 0;
    if (left > 0) {
      this.#byHand.set(operation, left - 1);
      return false;
    }
    return this.answerByItself(request);
  }

  /** Whether the coordinator of transactions answers it. */
  isOfTransactions(request: SeenRequest): boolean {
    const { operation } = request.fields;
    return ["init_producer", "begin_transaction", "send_offsets", "end_transaction"].includes(operation);
  }

  /** As a broker does; false for what it knows nothing of. */
  answerByItself(request: SeenRequest): boolean {
    if (this.transactions.handle(request)) return true;
    if (isRequest(request, "metadata")) this.answerMetadata(request);
    else if (isRequest(request, "produce")) this.answerProduce(request);
    else if (isRequest(request, "fetch_many")) this.answerFetch(request);
    else if (isRequest(request, "list_offsets")) this.#answerOffsets(request);
    else if (isRequest(request, "init_producer")) this.answerInit(request);
    else if (isRequest(request, "ping")) request.answer({});
    else return this.groups.handle(request);
    return true;
  }

  answerMetadata(request: SeenRequest<"metadata">): void {
    const { topic } = request.fields;
    const partitions = this.#topics.get(topic);
    if (partitions === undefined) {
      request.refuse("UNKNOWN_TOPIC");
      return;
    }
    const described = partitions.map((_, partition) => ({
      partition,
      leader_id: 1,
      leader_epoch: 0,
      replicas: [1],
      isr: [1],
    }));
    request.answer({ topic, partitions: described });
  }

  answerProduce(request: SeenRequest<"produce">): void {
    const { topic, partition, batch_b64: frame, one_way: oneWay } = request.fields;
    if (frame === undefined) throw new Error("the SDK sends whole batches");
    const partitions = this.#topics.get(topic);
    if (partitions?.[partition] === undefined) {
      request.refuse(partitions === undefined ? "UNKNOWN_TOPIC" : "UNKNOWN_PARTITION");
      return;
    }
    const refusal = this.#transactionRefusal(request.fields, frame);
    if (refusal !== null) {
      request.refuse(refusal);
      return;
    }
    const taken = this.takeFrame(topic, partition, frame, request.fields.transactional_id);
    if (taken.kind === "refuse") request.refuse(taken.code, taken.details);
    else if (!oneWay) request.answer({ partition, offset: taken.offset, next_offset: taken.nextOffset });
  }

  /** What becomes of a batch that somebody produces. */
  takeFrame(topic: string, partition: number, frame: Buffer, transactionalId?: string) {
    const header = readBatchHeader(frame);
    const place = `${topic}/${partition}`;
    const reception = this.producers.receive(place, header);
    if (reception.kind === "refuse") return reception;
    if (reception.kind === "duplicate")
      return { ...reception, nextOffset: reception.offset + header.recordCount };
    const offset = this.appendFrame(topic, partition, Buffer.from(frame));
    this.producers.note(place, header, offset);
    if (transactionalId !== undefined) this.transactions.note(transactionalId, place, offset);
    return { kind: "append", offset, nextOffset: this.end(topic, partition) } as const;
  }

  #transactionRefusal(fields: ParsedRequest<"produce">, frame: Buffer): ErrorCode | null {
    const { transactional_id: transactionalId, acks } = fields;
    const header = readBatchHeader(frame);
    if (header.transactional !== (transactionalId !== undefined)) return "INVALID_REQUEST";
    if (transactionalId === undefined) return null;
    return acks === "all" ? this.transactions.refusal(transactionalId, header) : "INVALID_REQUEST";
  }

  answerInit(request: SeenRequest<"init_producer">): void {
    const { name, producer_id: producerId, producer_epoch: producerEpoch } = request.fields;
    request.answer(this.producers.init(name, producerId, producerEpoch));
  }

  /** What is there now; a request that would wait is answered when nothing is there, too, unless a test takes it by hand. */
  answerFetch(request: SeenRequest<"fetch_many">): void {
    const { partitions, max_bytes: bytesMax, isolation } = request.fields;
    let leftBytes = bytesMax;
    const answers = partitions.map(({ topic, partition, offset, topic_id }) => {
      // The first batch of an answer comes whole, whatever its size.
      const firstBytesMax = leftBytes === bytesMax ? Number.POSITIVE_INFINITY : leftBytes;
      const isAnother = topic_id !== undefined && topic_id !== this.#topicId(topic);
      const answer =
        this.partitionAnswer?.(topic, partition) ??
        (isAnother ? unknownTopic(topic, partition) : null) ??
        this.#read({ topic, partition, offset, isolation, bytesMax: leftBytes, firstBytesMax });
      if ("batches_b64" in answer) leftBytes -= Math.floor(((answer.batches_b64 ?? "").length / 4) * 3);
      return answer;
    });
    const isEmpty = answers.every((answer) => "batches_b64" in answer && answer.batches_b64 === "");
    if (isEmpty && this.holdsFetches && request.fields.max_wait_ms > 0) this.#held.push(request);
    else request.answer({ partitions: answers });
  }

  #topicId(topic: string): string {
    return `id-${this.#creations.get(topic) ?? 0}`;
  }

  #visibleEnd(topic: string, partition: number, isolation: Read["isolation"]): number {
    const end = this.end(topic, partition);
    if (isolation === "read_uncommitted") return end;
    return this.transactions.firstUnstable(`${topic}/${partition}`) ?? end;
  }

  #read({ topic, partition, offset, isolation, bytesMax, firstBytesMax }: Read): PartitionAnswer {
    const frames = this.#topics.get(topic)?.[partition];
    if (frames === undefined) return unknownTopic(topic, partition);
    const end = this.end(topic, partition);
    if (offset > end) {
      const details = { log_start_offset: 0, log_end_offset: end };
      return { topic, partition, code: "OFFSET_OUT_OF_RANGE", message: `${offset} is past ${end}`, details };
    }
    const stableEnd = this.#visibleEnd(topic, partition, "read_committed");
    const visibleEnd = isolation === "read_committed" ? stableEnd : end;
    const taken: Buffer[] = [];
    let bytes = 0;
    for (const frame of frames) {
      if (readBatchHeader(frame).nextOffset <= offset) continue;
      if (readBatchHeader(frame).baseOffset >= visibleEnd) break;
      if (bytes + frame.length > (taken.length === 0 ? firstBytesMax : bytesMax)) break;
      taken.push(frame);
      bytes += frame.length;
    }
    const last = taken.at(-1);
    const nextOffset = last === undefined ? offset : readBatchHeader(last).nextOffset;
    const aborted = this.transactions.aborted(`${topic}/${partition}`, offset, nextOffset);
    return {
      topic,
      partition,
      batches_b64: encodeBase64(Buffer.concat(taken)),
      high_watermark: end,
      last_stable_offset: stableEnd,
      log_start_offset: 0,
      next_offset: nextOffset,
      ...(isolation === "read_committed" && { aborted_transactions: aborted }),
    };
  }

  #answerOffsets(request: SeenRequest<"list_offsets">): void {
    const { topic, partition, timestamp_ms: timestampMs, isolation } = request.fields;
    if (!this.#topics.has(topic)) {
      request.refuse("UNKNOWN_TOPIC");
      return;
    }
    if (timestampMs === -2) request.answer({ offset: 0, timestamp_ms: null });
    else if (timestampMs === -1)
      request.answer({ offset: this.#visibleEnd(topic, partition, isolation), timestamp_ms: null });
    else {
      const found = this.records(topic, partition).find((record) => record.timestampMs >= timestampMs);
      request.answer({ offset: found?.offset ?? null, timestamp_ms: found?.timestampMs ?? null });
    }
  }
}

function unknownTopic(topic: string, partition: number) {
  return { topic, partition, code: "UNKNOWN_TOPIC", message: `no topic ${topic}` };
}
