/** How `produce` makes records of its input, and which of its options go together. Loads nothing: `--help` reads it. */
import { CliError } from "../failure.ts";
import type { ShownHeader } from "../record.ts";

export interface RecordOptions {
  /** A record of each; standard input is left alone. */
  readonly value?: readonly string[];
  readonly key?: string;
  /** Each message is its key up to here, and its value after it. */
  readonly keyDelimiter?: Buffer;
  /** Between messages; a newline when not given, and then a `\r` before it goes with it. */
  readonly delimiter?: Buffer;
  readonly header?: readonly ShownHeader[];
  readonly partition?: number;
  /** An empty value becomes null, a tombstone. */
  readonly emptyIsNull?: boolean;
  readonly jsonl?: boolean;
}

/** Refuses options that contradict each other: USAGE. */
export function requireConsistent(options: RecordOptions): void {
  const given = (names: readonly (readonly [string, unknown])[]) =>
    names.filter(([, value]) => value !== undefined && value !== false).map(([name]) => name);
  const { value, key, keyDelimiter, delimiter, emptyIsNull, jsonl } = options;
  const rivals = jsonl
    ? [
        "--jsonl",
        ...given([
          ["-v", value],
          ["-k", key],
          ["-K", keyDelimiter],
          ["-D", delimiter],
          ["-Z", emptyIsNull],
        ]),
      ]
    : value !== undefined
      ? [
          "-v",
          ...given([
            ["-K", keyDelimiter],
            ["-D", delimiter],
          ]),
        ]
      : given([
          ["-k", key],
          ["-K", keyDelimiter],
        ]);
  if (rivals.length > 1) throw new CliError("USAGE", `${rivals[0]} and ${rivals[1]} exclude each other`);
}
