/** From the messages of standard input, or from `-v`, to the records to produce. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import type { ShownHeader } from "../record.ts";
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
    yield options.value.map((value) => toRecord(Buffer.from(value), null));
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
          if (options.jsonl !== true || message.length > 0) records.push(toRecord(message, line));
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

type RecordReader = (message: Buffer, line: number | null) => OutgoingRecord;

/**
 * Makes a record of one message. Throws {@link NotARecord}. A million short lines are a common input, so each record is one
 * plain literal: spread together from parts it took several times as long as everything else on this side.
 */
function recordReader(options: RecordOptions): RecordReader {
  const { headers, partition } = { headers: options.header ?? [], partition: options.partition ?? null };
  if (options.jsonl === true) return jsonReader(headers, partition);
  const key = options.key === undefined ? null : Buffer.from(options.key);
  const valueFrom = (bytes: Buffer) => (options.emptyIsNull === true && bytes.length === 0 ? null : bytes);
  const { keyDelimiter } = options;
  if (keyDelimiter === undefined) {
    return (message, line) => ({
      key,
      value: valueFrom(message),
      headers,
      partition,
      timestampMs: null,
      line,
    });
  }
  return (message, line) => {
    const end = message.indexOf(keyDelimiter);
    if (end === -1) {
      const shown = JSON.stringify(keyDelimiter.toString());
      throw new NotARecord(`no key delimiter ${shown}; expected KEY, delimiter, VALUE`);
    }
    return {
      key: message.subarray(0, end),
      value: valueFrom(message.subarray(end + keyDelimiter.length)),
      headers,
      partition,
      timestampMs: null,
      line,
    };
  };
}

/** The command's headers follow the record's own, and its partition is stronger. */
function jsonReader(headers: readonly ShownHeader[], partition: number | null): RecordReader {
  return (message, line) => {
    const record = readRecordLine(message);
    return {
      key: record.key,
      value: record.value,
      headers: headers.length === 0 ? record.headers : [...record.headers, ...headers],
      partition: partition ?? record.partition,
      timestampMs: record.timestampMs,
      line,
    };
  };
}
