/**
 * A small file that is replaced whole or not at all.
 *
 * Bytes: one line of JSON, `{"crc32":"<8 hex digits>","version":<n>,"payload":<JSON>}` and a line feed. The CRC-32 (zlib's)
 * covers everything between the comma after it and the last brace; the rest has one spelling only.
 *
 * Owns: the file, and the temporaries `<path>.tmp` and `<path>.tmp-later` beside it.
 * Invariants: under the file's name there is always one whole value that was given to replace(), or nothing before the
 * first; replacements take effect in the order of the calls; a promise of replaceLater() resolves only when its value, or
 * a later one, is durable; behind the renaming no descriptor is needed any more, so that for want of one nothing is unknown.
 * Never: damage or a newer version taken for an empty or an older value; a value repaired or guessed.
 */
import { posix } from "node:path";
import { assert } from "../../assert.ts";
import { type Disk, DiskError, type DiskFile, readSmallFile } from "../../env/disk.ts";
import { onDisk } from "../../env/disk-answer.ts";
import type { FaultSite } from "../../env/fault-order.ts";
import type { CheckpointName, CheckpointStep } from "../../env/fault-point.ts";
import type { FaultPoints } from "../../env/fault-points.ts";
import { storageError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { openEnvelope, sealEnvelope } from "./checkpoint-envelope.ts";
import type { CheckpointOutcome } from "./checkpoint-outcome.ts";

export interface CheckpointOptions<Value> {
  readonly disk: Disk;
  readonly faults: FaultPoints;
  readonly path: string;
  /** Which fault points its steps pass, and what messages call it. */
  readonly name: CheckpointName;
  /** Which replica the fault points are told of. */
  readonly site?: FaultSite;
  /** The version that is written, and the newest that is read. From 1. */
  readonly version: number;
  /** The value of a payload that replace() wrote, under this version or an older one. Throws when it is not one. */
  readonly parse: (payload: unknown, version: number) => Value;
  /** The JSON value that is written for a value. Default: the value itself. */
  readonly format?: (value: Value) => unknown;
}

/** A replacement's place in the order of the calls, and whether it reached the file's name. */
interface Attempt {
  readonly turn: number;
  readonly temporary: string;
  renamed: boolean;
}

export class CheckpointFile<Value> {
  readonly path: string;
  readonly #options: CheckpointOptions<Value>;
  readonly #folder: string;
  #lastTurn = 0;
  /** The turn whose value stands under the file's name. */
  #standingTurn = 0;
  /** What the next replacement off the thread will write, and the promise of all that wait for it. */
  #waiting: { readonly line: Buffer; readonly turn: number } | null = null;
  #next: Promise<void> | null = null;
  /** The replacement off the thread that is under way. Never rejects. */
  #running: Promise<void> = Promise.resolve();
  #isAbandoned = false;

  constructor(options: CheckpointOptions<Value>) {
    this.#options = options;
    this.path = options.path;
    this.#folder = posix.dirname(options.path);
  }

  /** The value, or `null` when the file was never written. Throws STORAGE_ERROR for damage and for a newer version. */
  read(): Value | null {
    const bytes = this.#readBytes();
    if (bytes === null) return null;
    const envelope = openEnvelope(bytes);
    if ("problem" in envelope)
      throw storageError(envelope.problem, { file: this.path, expected: envelope.expected });
    const { version, payload } = envelope;
    if (version > this.#options.version) {
      const expected = `${this.#options.version} or older: a newer program wrote this file`;
      const details = { newer_version: version };
      throw storageError(`the version is ${version}`, { file: this.path, expected, details });
    }
    try {
      return this.#options.parse(payload, version);
    } catch (problem) {
      throw storageError(problem, {
        file: this.path,
        expected: `a ${this.#options.name} of version ${version}`,
      });
    }
  }

  /**
   * Replaces the file, and returns once that is durable. Throws STORAGE_ERROR with a CheckpointOutcome as
   * `details.outcome`; after "unknown" the owner must not go on as if nothing had happened.
   */
  replace(value: Value): void {
    const attempt: Attempt = { turn: ++this.#lastTurn, temporary: `${this.path}.tmp`, renamed: false };
    try {
      const file = this.#writeAside(attempt, this.#seal(value));
      try {
        this.#hit("before_sync");
        file.syncNow();
      } finally {
        file.close();
      }
      const folder = this.#options.disk.openFolder(this.#folder);
      try {
        this.#putInPlace(attempt);
        folder.syncNow();
      } finally {
        folder.close();
      }
      this.#hit("after_folder_sync");
    } catch (problem) {
      throw this.#failed(attempt, problem);
    }
  }

  /**
   * The same with the syncs off the kernel's thread. The value is taken at once. While one replacement runs, later ones
   * wait together and only the newest is written. A replace() in between overtakes what is under way.
   */
  replaceLater(value: Value): Promise<void> {
    this.#waiting = { line: this.#seal(value), turn: ++this.#lastTurn };
    this.#next ??= this.#runNext();
    return this.#next;
  }

  /** Resolves when no replaceLater() is under way, whatever became of them. */
  async settled(): Promise<void> {
    while (this.#next !== null) await this.#next.catch(() => {});
    await this.#running;
  }

  /**
   * As if the process had died: what is under way off the thread ends before it changes the disk again, so that the file
   * and its temporaries may belong to another owner at once. Replacements that wait reject.
   */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Removes what a crash left beside the file, and returns those paths. For the owner, when it opens the folder. */
  removeStrays(): readonly string[] {
    const { disk } = this.#options;
    const strays = [`${this.path}.tmp`, `${this.path}.tmp-later`].filter(
      (path) => disk.stat(path)?.kind === "file",
    );
    for (const path of strays) disk.remove(path);
    return strays;
  }

  async #runNext(): Promise<void> {
    await this.#running;
    const waiting = this.#waiting;
    assert(waiting !== null, "a replacement was started without a value");
    this.#waiting = null;
    this.#next = null;
    const done = this.#replaceAside(waiting.line, waiting.turn);
    this.#running = done.catch(() => {});
    await done;
  }

  async #replaceAside(line: Buffer, turn: number): Promise<void> {
    const attempt: Attempt = { turn, temporary: `${this.path}.tmp-later`, renamed: false };
    try {
      this.#requireOwned();
      const file = this.#writeAside(attempt, line);
      try {
        await this.#wait("before_sync");
        await file.sync();
      } finally {
        file.close();
      }
      const folder = await this.#options.disk.openFolderLater(this.#folder);
      try {
        this.#requireOwned();
        if (turn < this.#standingTurn) this.#options.disk.remove(attempt.temporary);
        else this.#putInPlace(attempt);
        await folder.sync();
      } finally {
        folder.close();
      }
      await this.#wait("after_folder_sync");
    } catch (problem) {
      throw this.#failed(attempt, problem);
    }
  }

  #requireOwned(): void {
    if (this.#isAbandoned) throw storageError("it was abandoned before it was replaced", { file: this.path });
  }

  #seal(value: Value): Buffer {
    const { version, format } = this.#options;
    return sealEnvelope(version, format === undefined ? value : format(value));
  }

  #writeAside(attempt: Attempt, line: Buffer): DiskFile {
    this.#hit("before_write");
    const file = this.#options.disk.openFile(attempt.temporary, { create: "if-missing" });
    try {
      // A crash may have left a longer one.
      file.truncate(0);
      file.writeAt(0, line);
    } catch (problem) {
      file.close();
      throw problem;
    }
    return file;
  }

  #putInPlace(attempt: Attempt): void {
    this.#hit("before_rename");
    this.#options.disk.rename(attempt.temporary, this.path);
    attempt.renamed = true;
    this.#standingTurn = attempt.turn;
    this.#hit("after_rename");
  }

  /** What to throw for `problem`: a refusal of the disk becomes an answer, everything else goes on as it is. */
  #failed(attempt: Attempt, problem: unknown): unknown {
    if (!(problem instanceof DiskError)) return problem;
    if (!attempt.renamed && !this.#isAbandoned) this.#removeQuietly(attempt.temporary);
    const outcome: CheckpointOutcome = attempt.renamed ? "unknown" : "unchanged";
    return storageError(problem, { file: this.path, details: { outcome } });
  }

  /** A temporary that stays is overwritten by the next replacement, so that a refusal here changes nothing. */
  #removeQuietly(path: string): void {
    try {
      this.#options.disk.remove(path);
    } catch (problem) {
      if (!(problem instanceof DiskError)) throw problem;
    }
  }

  #readBytes(): Buffer | null {
    return onDisk(this.path, () => readSmallFile(this.#options.disk, this.path, LIMITS.checkpointBytesMax));
  }

  #hit(step: CheckpointStep): void {
    this.#options.faults.hit(`${this.#options.name}.${step}`, this.#options.site);
  }

  async #wait(step: CheckpointStep): Promise<void> {
    await this.#options.faults.waitAt(`${this.#options.name}.${step}`, this.#options.site);
    this.#requireOwned();
  }
}
