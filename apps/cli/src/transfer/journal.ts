/**
 * What a transfer of one topic has done, in a file beside nobody's data, so that it goes on after any end.
 *
 * Owns the file. Lines of JSON: the two clusters and topics first, then each batch *before* it is sent. So at most the last batch of each
 * partition may or may not have arrived, and the end of its copy tells which. A line is on the disk when its promise resolves; the
 * file is made anew, and put in place of the old one, when a run begins. A line without its newline was never acted upon.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../failure.ts";
import type { Span } from "./span.ts";

export const JOURNAL_VERSION = 1;

export interface JournalHead {
  readonly minikafka_transfer: typeof JOURNAL_VERSION;
  readonly source: TopicIdentity;
  readonly target: TopicIdentity;
}

export interface TopicIdentity {
  readonly cluster_id: string;
  readonly topic: string;
  readonly topic_id: string;
}

/** One batch, before it is sent. With who sends it, so that the same batch may be sent once more without being doubled (KIP-98). */
export interface SentBatch extends Span {
  readonly partition: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly sequence: number;
}

/** Where copying began, and what was copied up to the last run. */
export interface StartedPartition {
  readonly partition: number;
  readonly targetStart: number;
  readonly spans: readonly Span[];
}

export type JournalLine =
  | ({ readonly kind: "started" } & StartedPartition)
  | ({ readonly kind: "sent" } & SentBatch);

/** Source, its end, target and count, in this order. */
type WrittenSpan = readonly [number, number, number, number];

/** As it stands in the file. */
type WrittenLine =
  | { readonly partition: number; readonly target_start: number; readonly copied: readonly WrittenSpan[] }
  | {
      readonly partition: number;
      readonly sending: WrittenSpan;
      readonly producer_id: string;
      readonly producer_epoch: number;
      readonly sequence: number;
    };

function written(line: JournalLine): WrittenLine {
  const { partition } = line;
  if (line.kind === "started")
    return { partition, target_start: line.targetStart, copied: line.spans.map(writtenSpan) };
  const producer = { producer_id: line.producerId, producer_epoch: line.producerEpoch };
  return { partition, sending: writtenSpan(line), ...producer, sequence: line.sequence };
}

function writtenSpan({ source, sourceEnd, target, count }: Span): WrittenSpan {
  return [source, sourceEnd, target, count];
}

function lineOf(line: WrittenLine): JournalLine {
  const { partition } = line;
  if ("copied" in line) {
    const spans = line.copied.map(spanOf);
    return { kind: "started", partition, targetStart: line.target_start, spans };
  }
  const producer = { producerId: line.producer_id, producerEpoch: line.producer_epoch };
  return { kind: "sent", partition, ...spanOf(line.sending), ...producer, sequence: line.sequence };
}

function spanOf([source, sourceEnd, target, count]: WrittenSpan): Span {
  return { source, sourceEnd, target, count };
}

export interface Journal {
  readonly head: JournalHead;
  readonly lines: readonly JournalLine[];
}

/** `null` where there is no file. Throws INVALID_INPUT for one that is no journal. */
export function readJournal(file: string): Journal | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  // What stands after the last newline was being written when the process ended.
  const [first = "", ...rest] = text.split("\n").slice(0, -1);
  try {
    const head = JSON.parse(first) as JournalHead;
    if (head.minikafka_transfer !== JOURNAL_VERSION) throw new RangeError("its version is another one");
    return { head, lines: rest.map((line) => lineOf(JSON.parse(line) as WrittenLine)) };
  } catch (error) {
    throw new CliError("INVALID_INPUT", `${file} is no state of a transfer: ${(error as Error).message}`, {
      hint: "--state names another folder; a copy whose state is lost is begun anew, as a new topic",
    });
  }
}

/** So that the new name outlasts a power cut. Windows opens no folders, and needs it not. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export class JournalFile {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Puts `lines` in place of whatever the file held. */
  static async begin(file: string, { head, lines }: Journal): Promise<JournalFile> {
    mkdirSync(dirname(file), { recursive: true });
    const aside = `${file}.new`;
    const all = [head, ...lines.map(written)];
    writeFileSync(aside, all.map((line) => `${JSON.stringify(line)}\n`).join(""), { flush: true });
    renameSync(aside, file);
    syncFolder(dirname(file));
    return new JournalFile(await open(file, "a"));
  }

  async append(line: JournalLine): Promise<void> {
    await this.#handle.appendFile(`${JSON.stringify(written(line))}\n`);
    await this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
