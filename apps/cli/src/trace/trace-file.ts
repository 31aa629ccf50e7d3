/** A trace in a file: written as it grows, and read to be carried out once more. The format is in docs/traces.md. */
import { constants, type FileHandle, open, readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { CliError } from "../failure.ts";

/** Those that the broker reads. Since 2 the end has a number for all that stands before it. */
const VERSIONS: readonly unknown[] = [1, 2];
const SEALED_SINCE_VERSION = 2;
/** Emptied, and each line goes to the end, wherever that is when the trace has begun anew. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/** The first line, as far as this program needs it. */
export interface TraceHead {
  readonly minikafka_trace: number;
  readonly settings: { readonly [name: string]: unknown };
  readonly start_time_ms: number;
  readonly seed: number;
}

export interface TraceFile {
  readonly head: TraceHead;
  /** With its end. */
  readonly text: string;
  /** Its writer was stopped: what came behind its last line is not known. */
  readonly isUnfinished: boolean;
}

export class TraceWriter {
  readonly #file: FileHandle;
  #lines = 0;
  #crc = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** In place of what the file held. */
  static async open(path: string): Promise<TraceWriter> {
    return new TraceWriter(
      await open(path, FLAGS).catch((error: Error) => Promise.reject(unusable(path, error))),
    );
  }

  get lines(): number {
    return this.#lines;
  }

  async add(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#file.appendFile(`${lines.join("\n")}\n`);
    this.#lines += lines.length;
    this.#crc = crcOf(lines, this.#crc);
  }

  async beginAnew(): Promise<void> {
    await this.#file.truncate(0);
    this.#lines = 0;
    this.#crc = 0;
  }

  /** Says that the trace is whole, and closes the file. */
  async finish(): Promise<void> {
    const end = { lines: this.#lines, crc32: this.#crc };
    await this.#file.appendFile(`${JSON.stringify({ end })}\n`);
    await this.close();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * A whole trace as it is; one whose writer was stopped, or whose end somebody took away, ends with its last whole line. Throws NOT_FOUND,
 * INVALID_INPUT where it is no trace, DAMAGE_FOUND where it is not as it was written.
 */
export async function readTraceFile(path: string): Promise<TraceFile> {
  const text = await readFile(path, "utf8").catch((error: Error) => Promise.reject(unusable(path, error)));
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").slice(0, -1);
  const head = headOf(lines[0] ?? "");
  if (head === null)
    throw new CliError(
      "INVALID_INPUT",
      `${path} is no trace: its first line has no minikafka_trace of ${VERSIONS.join(" or ")}`,
      { hint: "minikafka-cli trace --save FILE writes one" },
    );
  const last = lines.at(-1);
  if (last?.startsWith('{"end":') === true) {
    requireSeal(path, head, lines.slice(0, -1), last);
    return { head, text: whole, isUnfinished: false };
  }
  const end = JSON.stringify({ end: { lines: lines.length, unfinished: true } });
  return { head, text: `${whole}${end}\n`, isUnfinished: true };
}

/** As gzip has it, of lines with their ends; `before` is that of what stands before them. */
function crcOf(lines: readonly string[], before = 0): number {
  return lines.reduce((crc, line) => crc32(`${line}\n`, crc), before);
}

/** Throws DAMAGE_FOUND. */
function requireSeal(path: string, head: TraceHead, lines: readonly string[], end: string): void {
  if (head.minikafka_trace < SEALED_SINCE_VERSION) return;
  if (end === JSON.stringify({ end: { lines: lines.length, crc32: crcOf(lines) } })) return;
  throw damagedTrace(
    `${path} was changed: its last line was written for others than the ${lines.length} before it`,
  );
}

/** For a file that is a trace, but not one that can be carried out. */
export function damagedTrace(message: string): CliError {
  const hint =
    "save the trace once more; one that was changed on purpose is taken without its last line, as one that is unfinished";
  return new CliError("DAMAGE_FOUND", message, { hint });
}

function headOf(line: string): TraceHead | null {
  try {
    const head = JSON.parse(line) as (Partial<TraceHead> & Pick<TraceHead, "settings">) | null;
    if (!VERSIONS.includes(head?.minikafka_trace) || typeof head?.settings !== "object") return null;
    return head as TraceHead;
  } catch {
    return null;
  }
}

function unusable(path: string, error: Error): CliError {
  const code = (error as NodeJS.ErrnoException).code === "ENOENT" ? "NOT_FOUND" : "INVALID_INPUT";
  return new CliError(code, `${path} cannot be used: ${error.message}`);
}
