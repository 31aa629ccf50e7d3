/** A trace in a file: written as it grows, and read to be carried out once more. The format is in docs/traces.md. */
import { constants, type FileHandle, open, readFile } from "node:fs/promises";
import { CliError } from "../failure.ts";

const VERSION = 1;
/** Emptied, and each line goes to the end, wherever that is when the trace has begun anew. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/** The first line, as far as this program needs it. */
export interface TraceHead {
  readonly settings: { readonly [name: string]: unknown };
  readonly start_time_ms: number;
  readonly seed: number;
}

export interface TraceFile {
  readonly head: TraceHead;
  /** Of a whole trace. */
  readonly text: string;
}

export class TraceWriter {
  readonly #file: FileHandle;
  #lines = 0;

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
  }

  async beginAnew(): Promise<void> {
    await this.#file.truncate(0);
    this.#lines = 0;
  }

  /** Says that the trace is whole, and closes the file. */
  async finish(): Promise<void> {
    await this.#file.appendFile(`${endLine(this.#lines)}\n`);
    await this.close();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function endLine(lines: number): string {
  return JSON.stringify({ end: { lines } });
}

/** A whole trace; one whose writer was stopped ends with its last whole line. Throws NOT_FOUND, INVALID_INPUT. */
export async function readTraceFile(path: string): Promise<TraceFile> {
  const text = await readFile(path, "utf8").catch((error: Error) => Promise.reject(unusable(path, error)));
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").slice(0, -1);
  const head = headOf(lines[0] ?? "");
  if (head === null)
    throw new CliError(
      "INVALID_INPUT",
      `${path} is no trace: its first line has no minikafka_trace ${VERSION}`,
    );
  const isWhole = lines.at(-1)?.startsWith('{"end":') === true;
  return { head, text: isWhole ? whole : `${whole}${endLine(lines.length)}\n` };
}

function headOf(line: string): TraceHead | null {
  try {
    const head = JSON.parse(line) as (TraceHead & { minikafka_trace?: unknown }) | null;
    if (head?.minikafka_trace !== VERSION || typeof head.settings !== "object") return null;
    return head;
  } catch {
    return null;
  }
}

function unusable(path: string, error: Error): CliError {
  const code = (error as NodeJS.ErrnoException).code === "ENOENT" ? "NOT_FOUND" : "INVALID_INPUT";
  return new CliError(code, `${path} cannot be used: ${error.message}`);
}
