/** From the messages of standard input, or from `-v`, to the records to produce. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { MessageTooLong, splitMessages } from "./lines.ts";
import { NotARecord, type ProducedLine, readRecordLine } from "./record-jsonl.ts";
import type { RecordOptions } from "./record-options.ts";
import { untilInterrupted } from "./stdin.ts";

/** A record on its way: `null` for a partition or time that is left to the producer. */
export interface OutgoingRecord extends ProducedLine {
  /** Its number in the input, from 1; `null` for the one given with `-v`. */
  readonly line: number | null;
}

/** Beyond what any broker takes as one record; keeps a file without newlines from filling the memory. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

const NEWLINE = Buffer.from("\n");

/** The records, in the groups in which they came. Throws INVALID_INPUT, after every record before the bad line. */
export async function* outgoingRecords(
  context: Context,
  options: RecordOptions,
): AsyncGenerator<OutgoingRecord[], void, undefined> {
  const toRecord = recordReader(options);
  if (options.value !== undefined) {
    yield [{ ...toRecord(Buffer.from(options.value)), line: null }];
    return;
  }
  if (context.stdin.isTTY === true) context.notes.remark("type one record a line; Ctrl-D ends");
  const split = {
    delimiter: options.delimiter ?? NEWLINE,
    dropCarriageReturn: options.delimiter === undefined,
    messageBytesMax: MESSAGE_BYTES_MAX,
  };
  let line = 0;
  try {
    for await (const messages of splitMessages(untilInterrupted(context.stdin, context.interrupted), split)) {
      const records: OutgoingRecord[] = [];
      try {
        for (const message of messages) {
          line += 1;
          // A file of JSON may end in blank lines, or have them between.
          if (options.jsonl !== true || message.length > 0) records.push({ ...toRecord(message), line });
        }
      } catch (error) {
        // What came before the bad line in the same chunk is as good as what came in an earlier one.
        if (records.length > 0) yield records;
        throw error;
      }
      yield records;
    }
  } catch (error) {
    if (error instanceof NotARecord) throw new CliError("INVALID_INPUT", `line ${line}: ${error.message}`);
    if (error instanceof MessageTooLong) {
      throw new CliError("INVALID_INPUT", `line ${error.messageNumber}: ${error.message}`);
    }
    throw error;
  }
}

/** Makes a record of one message. Throws {@link NotARecord}. */
export function recordReader(options: RecordOptions): (message: Buffer) => ProducedLine {
  const fixed = {
    headers: options.header ?? [],
    partition: options.partition ?? null,
    timestampMs: null,
  };
  const fixedKey = options.key === undefined ? null : Buffer.from(options.key);
  const valueFrom = (bytes: Buffer) => (options.emptyIsNull === true && bytes.length === 0 ? null : bytes);
  const { keyDelimiter } = options;
  if (options.jsonl === true) {
    return (message) => {
      const record = readRecordLine(message);
      return {
        ...record,
        headers: [...record.headers, ...fixed.headers],
        partition: fixed.partition ?? record.partition,
      };
    };
  }
  if (keyDelimiter !== undefined) {
    return (message) => {
      const end = message.indexOf(keyDelimiter);
      if (end === -1) {
        throw new NotARecord(
          `no key delimiter ${JSON.stringify(keyDelimiter.toString())}; expected KEY, delimiter, VALUE`,
        );
      }
      return {
        ...fixed,
        key: message.subarray(0, end),
        value: valueFrom(message.subarray(end + keyDelimiter.length)),
      };
    };
  }
  return (message) => ({ ...fixed, key: fixedKey, value: valueFrom(message) });
}
