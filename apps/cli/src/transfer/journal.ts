/**
 * What a transfer of one topic has done, in a file beside nobody's data, so that it goes on after any end.
 *
 * Owns the file. Lines of JSON: the two clusters and topics first, then each batch *before* it is sent. So at most the last batch of each
 * partition may or may not have arrived, and the end of its copy tells which. A line is on the disk when its promise resolves; the
 * file is made anew, and put in place of the old one, when a run begins. A line without its newline was never acted upon; after one that
 * failed none follows, so that such a half line is the last.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../failure.ts";
import { type JournalHead, type JournalLine, readHead, readLine, written } from "./journal-form.ts";
import { stateProblem } from "./state-problem.ts";

export interface Journal {
  readonly head: JournalHead;
  readonly lines: readonly JournalLine[];
}

/** `null` where there is no file. Throws INVALID_INPUT for one that is no journal, STORAGE_ERROR for one that cannot be read. */
export function readJournal(file: string): Journal | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "EISDIR" || code === "ENOTDIR") throw noState(file, message);
    throw stateProblem(file, error);
  }
  // What stands after the last newline was being written when the process ended.
  const [first = "", ...rest] = text.split("\n").slice(0, -1);
  const head = understood(file, 1, () => readHead(first));
  const lines = rest.map((line, index) => understood(file, index + 2, () => readLine(line)));
  const partitions = new Set<number>();
  for (const [index, { kind, partition }] of lines.entries()) {
    if (kind === "started") partitions.add(partition);
    else if (!partitions.has(partition))
      throw noState(`${file}:${index + 2}`, `partition ${partition} has a batch, and has not begun`);
  }
  return { head, lines };
}

function understood<Line>(file: string, number: number, read: () => Line): Line {
  try {
    return read();
  } catch (error) {
    throw noState(`${file}:${number}`, (error as Error).message);
  }
}

const ELSEWHERE = "--state names another folder; a copy whose state is lost is begun anew, as a new topic";

function noState(place: string, problem: string): CliError {
  return new CliError("INVALID_INPUT", `${place} is no state of a transfer: ${problem}`, { hint: ELSEWHERE });
}

/** Whole or not at all, whatever was there before. */
function putInPlace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.new`;
  writeFileSync(aside, text, { flush: true });
  renameSync(aside, file);
  syncFolder(dirname(file));
}

/** So that the new name outlasts a power cut. Windows opens no folders, and needs it not. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** What a journal wants of its open file. */
export type JournalHandle = Pick<FileHandle, "appendFile" | "datasync" | "close">;

export class JournalFile {
  readonly #file: string;
  readonly #handle: JournalHandle;
  /** Lines are written one after the other, and synced together. */
  #written: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  private constructor(file: string, handle: JournalHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  /** Puts `lines` in place of whatever the file held, and appends to it by what `opened` resolves with. Rejects with STORAGE_ERROR. */
  static async begin(
    file: string,
    { head, lines }: Journal,
    opened: (file: string, flags: "a") => Promise<JournalHandle> = open,
  ): Promise<JournalFile> {
    const all = [head, ...lines.map(written)];
    try {
      putInPlace(file, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return new JournalFile(file, await opened(file, "a"));
    } catch (error) {
      throw stateProblem(file, error);
    }
  }

  /** Rejects with STORAGE_ERROR, and what the first failure was from then on: how much of a line is in the file is not known any more. */
  async append(line: JournalLine): Promise<void> {
    const before = this.#written;
    const own = before.then(() =>
      this.#attempt(() => this.#handle.appendFile(`${JSON.stringify(written(line))}\n`)),
    );
    this.#written = own.catch(() => undefined);
    await own;
    await this.#attempt(() => this.#handle.datasync());
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== null) throw this.#failure.error;
    try {
      await work();
    } catch (error) {
      this.#failure ??= { error: stateProblem(this.#file, error) };
      throw this.#failure.error;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
