/**
 * One broker: its folder `broker-<id>`, the logs that it has open, and its health.
 *
 * Owns: the open logs, each exactly once; what its folder says of its lives (broker-marks.ts).
 * Invariants: a mark is only left by a broker that is running and closed every log without a problem; a stopped
 * broker has no log open.
 * Never: a log closed by somebody else; a write while failed or stopped.
 */
import { posix } from "node:path";
import { assert } from "../assert.ts";
import { isDiskFull } from "../env/disk-answer.ts";
import { makeDurableFolder } from "../env/durable-folder.ts";
import type { Env } from "../env/env.ts";
import { Places } from "../env/places.ts";
import type { ReplicaPlace } from "../env/trace.ts";
import { LIMITS } from "../limits.ts";
import { IndexMemory } from "../log/context/index-memory.ts";
import { PartitionLog, type PartitionLogOptions } from "../log/partition-log.ts";
import { partitionName, type TopicPartition } from "../replica/topic-partition.ts";
import { eachSettled } from "./all-settled.ts";
import { BrokerHealth } from "./broker-health.ts";
import { BrokerMarks } from "./broker-marks.ts";
import { BrokerNames } from "./broker-names.ts";
import type { ResolvedConfig } from "./config.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { HighWatermarkFile, NotedHighWatermark } from "./high-watermark-file.ts";
import { LogsBeingMade } from "./logs-being-made.ts";
import { logConfigOf } from "./topic-log-config.ts";
import type { Topic } from "./topics.ts";

/** Producers that one replica has forgotten. */
export interface ForgottenProducers extends ReplicaPlace {
  readonly producerIds: readonly number[];
}

export interface BrokerParts {
  readonly config: ResolvedConfig;
  /** For a start and a clean stop on a full disk. */
  readonly reserve: DiskReserve;
  /** The broker epoch that the metadata knows; `null` when it knows none. */
  readonly knownEpoch: number | null;
}

export class Broker extends BrokerHealth {
  readonly names: BrokerNames;
  readonly #config: ResolvedConfig;
  readonly #indexMemory: IndexMemory;
  readonly #marks: BrokerMarks;
  readonly #logs = new Map<string, PartitionLog>();
  readonly #beingMade: LogsBeingMade;
  #isAbandoned = false;

  /** Makes the folder if it is missing, and begins as start() does. Throws DiskError. */
  constructor(brokerId: number, { config, reserve, knownEpoch }: BrokerParts, env: Env) {
    super(brokerId, env);
    this.names = new BrokerNames(posix.join(config.dataFolder, `broker-${brokerId}`), env.disk);
    this.#config = config;
    this.#indexMemory = new IndexMemory(LIMITS.indexMemoryBytesMax / config.brokerIds.length);
    this.#beingMade = new LogsBeingMade(brokerId, env);
    const folder = { folder: this.folder, brokerId, reserve };
    this.#marks = new BrokerMarks(folder, { ...env, disk: this.names });
    const isNew = makeDurableFolder(env.disk, this.folder);
    // It may have been made by a process that died before that was durable.
    if (!isNew) env.disk.syncFolder(config.dataFolder);
    this.#marks.begin(knownEpoch, isNew);
  }

  get folder(): string {
    return this.names.folder;
  }

  /** Whether it was closed cleanly the last time, or is new. */
  get startedClean(): boolean {
    return this.#marks.startedClean;
  }

  /** Whether its folder was put back from an older copy before it started (broker-epoch.ts). */
  get isOlderCopy(): boolean {
    return this.#marks.isOlderCopy;
  }

  /** Of the life that its last start began; `null` when that could not be noted. */
  get brokerEpoch(): number | null {
    return this.#marks.brokerEpoch;
  }

  get highWatermarks(): HighWatermarkFile {
    return this.#marks.highWatermarks;
  }

  /** The next start is to judge it as after a crash. */
  leaveNoMark(): void {
    this.#marks.leaveNoMark();
  }

  folderOf(place: TopicPartition): string {
    return posix.join(this.folder, partitionName(place));
  }

  /** Opens the log of one of the topic's partitions; `create` makes a new one. Throws STORAGE_ERROR. */
  openLog(topic: Topic, partition: number, { create }: { create: boolean }): PartitionLog {
    try {
      const options = this.#optionsOf(topic, partition, create);
      return this.#keep(options.place, () => PartitionLog.open(options, this.env));
    } catch (problem) {
      if (!create) this.leaveNoMark();
      throw problem;
    }
  }

  /**
   * Makes a new partition's log, durably but for its folder's name, ahead of takeLog(). Rejects with DiskError, STORAGE_ERROR,
   * BROKER_NOT_AVAILABLE when it is stopped or closed meanwhile.
   */
  makeLog(topic: Topic, partition: number): Promise<void> {
    return this.#beingMade.make(this.#optionsOf(topic, partition, true));
  }

  /** The log that makeLog() made, as the topic has it now. Throws BROKER_NOT_AVAILABLE when it was stopped since. */
  takeLog(topic: Topic, partition: number): PartitionLog {
    const place = { topic: topic.topic, partition };
    const log = this.#keep(place, () => this.#beingMade.take(place));
    this.configureLog(topic, partition);
    return log;
  }

  /** The topic's settings have changed. A log that could not be opened has nothing to go by them. */
  configureLog(topic: Topic, partition: number): void {
    const name = partitionName({ topic: topic.topic, partition });
    this.#logs.get(name)?.configure(logConfigOf(topic.config, this.#config));
  }

  /** Closes a log of which nothing is wanted any more, without flushing it. */
  dropLog(place: TopicPartition): void {
    const name = partitionName(place);
    this.#beingMade.drop(place);
    this.#logs.get(name)?.abandon();
    this.#logs.delete(name);
  }

  /** Every log forgets the producers that were silent for as long as the configuration says. */
  forgetIdleProducers(): readonly ForgottenProducers[] {
    const sinceMs = this.env.clock.nowMs() - this.#config.producerExpirationMs;
    return [...this.#logs.values()].flatMap((log) => {
      const producerIds = log.forgetIdleProducers(sinceMs);
      return producerIds.length === 0 ? [] : [{ ...log.place, producerIds }];
    });
  }

  /** Flushes every log. Rejects with a problem when there was one, after all were tried. */
  async flush(): Promise<void> {
    this.leaveMarks();
    await eachSettled([...this.#logs], new Places(LIMITS.logsFlushedAtOnce), ([name, log]) =>
      this.#flushUnlessDropped(name, log),
    );
  }

  /** Its topic may be deleted meanwhile: then nobody wants what the flush was for. A stop flushes by itself, and tells how it ended. */
  async #flushUnlessDropped(name: string, log: PartitionLog): Promise<void> {
    try {
      await log.flush();
    } catch (problem) {
      if (this.#logs.get(name) === log && !this.isStopped) throw problem;
    }
  }

  /** Flushes and closes every log, also when one of them fails. Rejects with a problem when there was one. */
  async closeLogs(): Promise<void> {
    this.#beingMade.abandon();
    try {
      await eachSettled([...this.#logs.values()], new Places(LIMITS.logsFlushedAtOnce), closeFlushed);
    } finally {
      this.leaveMarks();
      this.#logs.clear();
    }
    this.requireNotFailed();
  }

  /** Its logs were closed without a problem: notes how far each was visible, and leaves the mark, also on a full disk. Throws STORAGE_ERROR. */
  noteEnd(highWatermarks: () => readonly NotedHighWatermark[]): void {
    if (!this.#isAbandoned) this.#marks.end(highWatermarks());
  }

  /** Serves no more, from this call on, and ends as a cluster's close does. Rejects when it did not end cleanly. It can be started. */
  async stop(highWatermarks: () => readonly NotedHighWatermark[]): Promise<void> {
    if (this.isStopped) return;
    const closed = this.closeLogs();
    this.noteStop();
    await closed;
    this.noteEnd(highWatermarks);
  }

  /**
   * Serves again: takes the mark away and reads the notes; its logs are opened by who asks for them. `knownEpoch`: as for a new one.
   * Throws DiskError.
   */
  start(knownEpoch: number | null): void {
    assert(this.isStopped && this.#logs.size === 0, `broker ${this.brokerId} runs already`);
    this.#marks.begin(knownEpoch, false);
    this.noteStart();
    this.#beingMade.begin();
  }

  /** Closes every file and writes nothing, as if the process had died. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#beingMade.abandon();
    this.#marks.abandon();
    for (const log of this.#logs.values()) log.abandon();
    this.#logs.clear();
  }

  #keep(place: TopicPartition, open: () => PartitionLog): PartitionLog {
    const name = partitionName(place);
    assert(!this.#logs.has(name), `the log of ${name} is open already`);
    const log = open();
    this.#logs.set(name, log);
    return log;
  }

  #optionsOf(topic: Topic, partition: number, create: boolean): PartitionLogOptions {
    const place = { topic: topic.topic, partition };
    return {
      folder: this.folderOf(place),
      place: { brokerId: this.brokerId, ...place },
      topicId: topic.topicId,
      create,
      config: logConfigOf(topic.config, this.#config),
      indexMemory: this.#indexMemory,
      indexIntervalBytes: this.#config.indexIntervalBytes,
      flushesAtRoll: this.#config.flush === "os",
      // What was taken under an earlier configuration must stay readable.
      frameBytesMax: LIMITS.batchBytesMax,
      onFailedSync: (problem) => this.fail(problem),
      onUnmarked: (leaveMark) => this.markLater(leaveMark),
    };
  }
}

/** Where only the last manifest found no room, all of the log is durable, and the next opening reads a little more. */
async function closeFlushed(log: PartitionLog): Promise<void> {
  try {
    await log.close();
  } catch (problem) {
    if (!isDiskFull(problem)) throw problem;
  }
}
