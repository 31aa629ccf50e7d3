/**
 * `broker-<id>/replication-offset-checkpoint.json`: how far each of a broker's replicas knew its partition to be visible, and
 * had it on its disk. Kafka: replication-offset-checkpoint. Partitions with one replica need none: what they have is visible.
 *
 * Owns: the file.
 * Invariants: a noted value was true once, and everything below it was durable on this broker then; before a replica gives up
 * offsets that were noted, the note is lowered, and none that names them is taken until they are gone; what the disk refused is
 * tried again with the next note.
 * Never: a damaged file taken for the truth: then nothing is noted, and the replicas' ends decide.
 */
import { posix } from "node:path";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { CheckpointFile } from "../log/files/checkpoint-file.ts";
import { fieldsOf, integerOf, listOf, mismatch, textOf } from "../log/files/parsed-json.ts";
import { isUuid } from "./uuid.ts";

export const HIGH_WATERMARK_FILE_NAME = "replication-offset-checkpoint.json";
const VERSION = 1;

export interface NotedHighWatermark {
  readonly topicId: string;
  readonly partition: number;
  readonly highWatermark: number;
}

type Notes = ReadonlyMap<string, NotedHighWatermark>;

export class HighWatermarkFile {
  readonly #file: CheckpointFile<Notes>;
  readonly #brokerId: number;
  readonly #env: Env;
  /** What was given last. */
  #notes: Notes = new Map();
  /** Whether that is what the file says. */
  #isStanding = false;
  #lastTurn = 0;

  constructor(folder: string, brokerId: number, env: Env) {
    this.#brokerId = brokerId;
    this.#env = env;
    this.#file = new CheckpointFile<Notes>({
      disk: env.disk,
      faults: env.faults,
      path: posix.join(folder, HIGH_WATERMARK_FILE_NAME),
      name: "high_watermarks",
      site: { brokerId },
      version: VERSION,
      parse: parseNotes,
      format: formatNotes,
    });
  }

  /** Reads what was noted. Throws STORAGE_ERROR when the disk refuses, DiskError. */
  load(): void {
    this.#file.removeStrays();
    try {
      this.#notes = this.#file.read() ?? new Map();
      this.#isStanding = true;
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      this.#notes = new Map();
      this.#isStanding = false;
      const { path } = this.#file;
      this.#env.trace({
        kind: "checkpoint_ignored",
        brokerId: this.#brokerId,
        path,
        problem: problem.message,
      });
    }
  }

  /** `null` when nothing was noted. */
  get(topicId: string, partition: number): number | null {
    return this.#notes.get(keyOf(topicId, partition))?.highWatermark ?? null;
  }

  /** Notes all of a broker's replicas, durably when this returns. Throws STORAGE_ERROR. */
  note(values: readonly NotedHighWatermark[]): void {
    if (!this.isNews(values)) return;
    const notes = notesOf(values);
    this.#begin(notes);
    this.#file.replace(notes);
    this.#isStanding = true;
  }

  /** Those of `values` that the file does not say. */
  newsOf(values: readonly NotedHighWatermark[]): readonly NotedHighWatermark[] {
    const isSaid = ({ topicId, partition, highWatermark }: NotedHighWatermark) =>
      this.#isStanding && this.get(topicId, partition) === highWatermark;
    return values.filter((value) => !isSaid(value));
  }

  /** Whether a note would write anything. */
  isNews(values: readonly NotedHighWatermark[]): boolean {
    return !this.#isStanding || !isSame(notesOf(values), this.#notes);
  }

  /** The same without holding up the kernel. */
  async noteLater(values: readonly NotedHighWatermark[]): Promise<void> {
    if (!this.isNews(values)) return;
    const notes = notesOf(values);
    const turn = this.#begin(notes);
    await this.#file.replaceLater(notes);
    if (turn === this.#lastTurn) this.#isStanding = true;
  }

  /** Before a replica gives up what lies at `offset` and behind it. Throws STORAGE_ERROR; then it must not. */
  lower(topicId: string, partition: number, offset: number): void {
    const noted = this.#notes.get(keyOf(topicId, partition));
    const isLow = noted === undefined || noted.highWatermark <= offset;
    // What the file says otherwise may be an older and higher note.
    if (isLow && this.#isStanding) return;
    const lowered = (each: NotedHighWatermark) =>
      each === noted && !isLow ? { ...each, highWatermark: offset } : each;
    this.note([...this.#notes.values()].map(lowered));
  }

  /** `notes` are to stand from now on. Returns their turn. */
  #begin(notes: Notes): number {
    this.#notes = notes;
    this.#isStanding = false;
    return ++this.#lastTurn;
  }

  /** As if the process had died. */
  abandon(): void {
    this.#file.abandon();
  }
}

function keyOf(topicId: string, partition: number): string {
  return `${topicId}-${partition}`;
}

function notesOf(values: readonly NotedHighWatermark[]): Notes {
  return new Map(values.map((value) => [keyOf(value.topicId, value.partition), value]));
}

function isSame(one: Notes, other: Notes): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([key, { highWatermark }]) => other.get(key)?.highWatermark === highWatermark);
}

function formatNotes(notes: Notes): unknown {
  const partitions = [...notes.values()].map(({ topicId, partition, highWatermark }) => ({
    topic_id: topicId,
    partition,
    high_watermark: highWatermark,
  }));
  return { partitions };
}

function parseNotes(payload: unknown): Notes {
  const partitions = listOf(fieldsOf(payload, "the checkpoint").get("partitions"), "partitions");
  return notesOf(partitions.map(parseNote));
}

function parseNote(value: unknown): NotedHighWatermark {
  const fields = fieldsOf(value, "a partition");
  const topicId = textOf(fields.get("topic_id"), "topic_id");
  if (!isUuid(topicId)) throw mismatch(topicId, "topic_id", "a UUID");
  return {
    topicId,
    partition: integerOf(fields.get("partition"), "partition", {
      min: 0,
      max: LIMITS.partitionsPerTopicMax - 1,
    }),
    highWatermark: integerOf(fields.get("high_watermark"), "high_watermark", {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
  };
}
