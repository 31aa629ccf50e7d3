/**
 * Records on the way to their batches (Kafka: RecordAccumulator).
 *
 * Owns the lanes of all partitions, the records that wait to learn which partitions their topic has, and the linger timers.
 * Invariants: records of one topic are placed in the order in which they were accepted; a batch leaves when it is full, when
 * its linger is over (by a timer, or at `sendDue` with a manual clock), or when all are closed.
 */
import type { Cancel } from "../clock.ts";
import { asMiniKafkaError, MiniKafkaError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { MetadataCache, TopicMetadata } from "../metadata-cache.ts";
import type { Session } from "../session.ts";
import { FrameMemory } from "./frame-memory.ts";
import { PartitionLane } from "./partition-lane.ts";
import { type KeyHash, keyHash, StickyPartition } from "./partitioner.ts";
import { lostMemory } from "./payload-bytes.ts";
import type { PendingRecord, ProducerBatch } from "./producer-batch.ts";
import type { ProducerSettings } from "./producer-options.ts";
import type { Sender } from "./sender.ts";

interface WaitingRecord {
  readonly record: PendingRecord;
  readonly partition: number | undefined;
  readonly acceptedMs: number;
}

/** What becomes of the records that wait for metadata: `null` when they have their places, else what they failed with. */
interface Placing {
  readonly ended: Promise<MiniKafkaError | null>;
  readonly end: (error: MiniKafkaError | null) => void;
}

interface TopicState {
  readonly topic: string;
  readonly lanes: Map<number, PartitionLane>;
  /** The last that was asked for: the next record is probably for it too. */
  lastLane: PartitionLane | null;
  readonly sticky: StickyPartition;
  /** For the topic's metadata. */
  waiting: WaitingRecord[];
  /** While records wait. */
  placing: Placing | null;
  /** Somebody waits for a flush and will be told what the waiting records fail with. */
  isWatched: boolean;
}

export class Accumulator {
  readonly #session: Session;
  readonly #settings: ProducerSettings;
  readonly #metadata: MetadataCache;
  readonly #sender: Sender;
  readonly #hash: KeyHash;
  readonly #topics = new Map<string, TopicState>();
  /** The last that was asked for. */
  #last: TopicState | null = null;
  readonly #frames = new FrameMemory(LIMITS.keptFrameBytesMax);
  readonly #lingers = new Map<PartitionLane, Cancel>();
  readonly #released: (bytes: number, records: number) => void;
  readonly #elapsedMs: () => number;
  #scheduled: PartitionLane[] = [];

  constructor(
    session: Session,
    settings: ProducerSettings,
    metadata: MetadataCache,
    sender: Sender,
    released: (bytes: number, records: number) => void,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#metadata = metadata;
    this.#sender = sender;
    this.#released = released;
    this.#hash = keyHash(settings.partitioner);
    this.#elapsedMs = () => session.clock.elapsedMs();
  }

  /** `partition` is where the caller wants it; `undefined` leaves it to the partitioner. `record` is not kept. */
  accept(record: PendingRecord, topic: string, partition: number | undefined): void {
    const state = this.#state(topic);
    const metadata = this.#metadata.get(topic);
    if (metadata !== undefined && state.waiting.length === 0) {
      this.#place(state, metadata, record, partition, this.#elapsedMs);
      return;
    }
    state.waiting.push({ record: copyOf(record), partition, acceptedMs: this.#elapsedMs() });
    if (state.placing === null) this.#beginPlacing(state);
  }

  /** Sends the lane's batches that may go: closed ones, and the open one when its linger is over. */
  sendReady(lane: PartitionLane): void {
    this.#sender.sendClosed(lane);
    const { dueMs } = lane;
    if (dueMs === null || !lane.maySend || dueMs > this.#elapsedMs()) return;
    this.#closeOpen(lane);
    this.#sender.sendClosed(lane);
  }

  /** Closes and sends the batches whose linger is over. Returns them. */
  sendDue(): ProducerBatch[] {
    const nowMs = this.#elapsedMs();
    return this.#closeWhere((lane) => lane.dueMs !== null && lane.dueMs <= nowMs);
  }

  /** Closes all open batches and sends what may go. Returns all that are not settled. */
  sendAll(): ProducerBatch[] {
    this.#closeWhere(() => true);
    return [...this.#lanes()].flatMap((lane) => lane.batches());
  }

  /** Resolves when the records that wait for metadata have their places, with what they failed with if they did. */
  async placed(): Promise<MiniKafkaError | null> {
    let first: MiniKafkaError | null = null;
    for (const state of this.#topics.values()) {
      if (state.placing === null) continue;
      state.isWatched = true;
      const error = await state.placing.ended;
      first ??= error;
    }
    return first;
  }

  /** Fails whatever is left and stops all timers. What is accepted from then on goes its way. */
  abandon(error: MiniKafkaError): void {
    for (const state of this.#topics.values()) this.#failWaiting(state, error);
    for (const lane of this.#lanes()) this.#sender.abandon(lane, error);
    for (const [lane, cancel] of this.#lingers) {
      cancel();
      lane.isScheduled = false;
    }
    this.#lingers.clear();
  }

  *#lanes(): Generator<PartitionLane> {
    for (const state of this.#topics.values()) yield* state.lanes.values();
  }

  #state(topic: string): TopicState {
    if (this.#last?.topic === topic) return this.#last;
    this.#last = this.#topics.get(topic) ?? this.#begin(topic);
    return this.#last;
  }

  #begin(topic: string): TopicState {
    const sticky = new StickyPartition(this.#session.random);
    const lanes = new Map();
    const state = { topic, lanes, lastLane: null, sticky, waiting: [], placing: null, isWatched: false };
    this.#topics.set(topic, state);
    return state;
  }

  #beginPlacing(state: TopicState): void {
    let end: Placing["end"] = () => {};
    const ended = new Promise<MiniKafkaError | null>((resolve) => {
      end = resolve;
    });
    state.placing = { ended, end };
    this.#metadata.load(state.topic).then(
      (metadata) => this.#placeWaiting(state, metadata),
      (error) => this.#failWaiting(state, asMiniKafkaError(error)),
    );
  }

  #placeWaiting(state: TopicState, metadata: TopicMetadata): void {
    const waiting = this.#endPlacing(state, null);
    for (const { record, partition, acceptedMs } of waiting)
      this.#place(state, metadata, record, partition, () => acceptedMs);
  }

  #failWaiting(state: TopicState, error: MiniKafkaError): void {
    const { isWatched } = state;
    for (const { record } of this.#endPlacing(state, error)) {
      record.delivery.fail(record.slot, error, isWatched);
      this.#released(record.heldBytes, 1);
    }
  }

  #endPlacing(state: TopicState, error: MiniKafkaError | null): readonly WaitingRecord[] {
    const { waiting, placing } = state;
    state.waiting = [];
    state.placing = null;
    state.isWatched = false;
    placing?.end(error);
    return waiting;
  }

  #place(
    state: TopicState,
    metadata: TopicMetadata,
    record: PendingRecord,
    asked: number | undefined,
    acceptedMs: () => number,
  ): void {
    for (;;) {
      const partition = asked ?? this.#choose(state, metadata, record);
      if (partition === null) return;
      const lost = lostMemory(record);
      if (lost !== null) {
        this.#refuse(record, lost);
        return;
      }
      const lane = this.#lane(state, partition);
      const result = lane.add(record, acceptedMs);
      if (result === "added") {
        this.#schedule(lane);
        return;
      }
      if (result === "noRoom") lane.closeOpen();
      state.sticky.moveOn(lane.place.partition, metadata.available);
      this.#metadata.refreshOld(state.topic);
      this.#sender.sendClosed(lane);
      if (result === "full") return;
    }
  }

  #lane(state: TopicState, partition: number): PartitionLane {
    if (state.lastLane?.place.partition === partition) return state.lastLane;
    state.lastLane = state.lanes.get(partition) ?? this.#openLane(state, partition);
    return state.lastLane;
  }

  #openLane(state: TopicState, partition: number): PartitionLane {
    const { batchBytes, lingerMs, inFlightPerPartitionMax: inFlightMax, codec } = this.#settings;
    const sequences = this.#sender.keeper;
    const limits = { batchBytes, lingerMs, inFlightMax, sequences, frames: this.#frames, codec };
    const lane = new PartitionLane({ topic: state.topic, partition }, limits);
    state.lanes.set(partition, lane);
    return lane;
  }

  /** `null` when the caller's own partitioner failed, and the record with it. */
  #choose(state: TopicState, metadata: TopicMetadata, record: PendingRecord): number | null {
    if (record.key === null) return state.sticky.choose(metadata.available);
    try {
      return this.#hash(record.key) % metadata.partitionCount;
    } catch (error) {
      this.#refuse(record, error instanceof MiniKafkaError ? error : partitionerFailed(error));
      return null;
    }
  }

  /** It fails alone, and never gets into a batch. */
  #refuse({ delivery, slot, heldBytes }: PendingRecord, error: MiniKafkaError): void {
    delivery.fail(slot, error, false);
    this.#released(heldBytes, 1);
  }

  /** Plans the end of the open batch's linger. Without linger that is the end of the caller's turn. */
  #schedule(lane: PartitionLane): void {
    if (lane.isScheduled) return;
    if (this.#settings.lingerMs === 0) {
      lane.isScheduled = true;
      this.#scheduled.push(lane);
      if (this.#scheduled.length === 1) queueMicrotask(() => this.#sendScheduled());
    } else if (this.#session.clock.mode === "auto") {
      lane.isScheduled = true;
      this.#linger(lane);
    }
  }

  #sendScheduled(): void {
    const lanes = this.#scheduled;
    this.#scheduled = [];
    for (const lane of lanes) {
      lane.isScheduled = false;
      this.sendReady(lane);
    }
  }

  #linger(lane: PartitionLane): void {
    const leftMs = (lane.dueMs ?? 0) - this.#elapsedMs();
    const cancel = this.#session.clock.after(Math.max(0, leftMs), () => {
      const { dueMs } = lane;
      // The batch that was waited for went early, and another lingers in its place.
      if (dueMs !== null && dueMs > this.#elapsedMs()) {
        this.#linger(lane);
        return;
      }
      this.#lingers.delete(lane);
      lane.isScheduled = false;
      this.sendReady(lane);
    });
    this.#lingers.set(lane, cancel);
  }

  #closeWhere(isDue: (lane: PartitionLane) => boolean): ProducerBatch[] {
    const closed: ProducerBatch[] = [];
    for (const lane of this.#lanes()) {
      const batch = isDue(lane) ? this.#closeOpen(lane) : null;
      if (batch !== null) closed.push(batch);
      this.#sender.sendClosed(lane);
    }
    return closed;
  }

  #closeOpen(lane: PartitionLane): ProducerBatch | null {
    const batch = lane.closeOpen();
    if (batch === null) return null;
    const { topic, partition } = lane.place;
    const metadata = this.#metadata.get(topic);
    if (metadata !== undefined) this.#topics.get(topic)?.sticky.moveOn(partition, metadata.available);
    this.#metadata.refreshOld(topic);
    return batch;
  }
}

function copyOf({
  key,
  value,
  timestampMs,
  headers,
  delivery,
  slot,
  heldBytes,
}: PendingRecord): PendingRecord {
  return { key, value, timestampMs, headers, delivery, slot, heldBytes };
}

function partitionerFailed(cause: unknown): MiniKafkaError {
  return new MiniKafkaError("USAGE", `the partitioner failed: ${String(cause)}`, { cause });
}
