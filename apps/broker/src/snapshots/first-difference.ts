/** Where what happened is not what had happened. */
import { BrokerError } from "@minikafka/core";
import type { Trace } from "../history/trace-lines.ts";
import { VERSION } from "../version.ts";

export interface FirstDifference {
  /** From 0. */
  readonly entry: number;
  readonly saved: string | null;
  readonly replayed: string | null;
}

export interface Replayed {
  readonly entries: readonly string[];
  /** The folder as it stands in them. */
  readonly data: string;
  /** More has happened than is in them. */
  readonly hasEnded?: boolean;
}

/** Of an entry, in a message. */
const SHOWN_CHARACTERS = 200;
/** No line of a trace has it. */
const FOLDER = "\0";

/** Entries that name files are compared as if both folders were in one place; of those that are missing at an end nothing is said. */
export function firstDifference(
  saved: Pick<Trace, "head" | "entries" | "isUnfinished">,
  replayed: Replayed,
): FirstDifference | null {
  const folders = new Set([saved.head.data, replayed.data]);
  const areEqual = (one: string | null, other: string | null): boolean => {
    if (one === other) return true;
    if (one === null || other === null || folders.size === 1) return false;
    return inOnePlace(one, folders) === inOnePlace(other, folders);
  };
  const lengths = [saved.entries.length, replayed.entries.length] as const;
  const entriesMax = saved.isUnfinished
    ? lengths[0]
    : replayed.hasEnded === true
      ? lengths[1]
      : Math.max(...lengths);
  for (let entry = 0; entry < entriesMax; entry += 1) {
    const one = saved.entries[entry] ?? null;
    const other = replayed.entries[entry] ?? null;
    if (!areEqual(one, other)) return { entry, saved: one, replayed: other };
  }
  return null;
}

/** Throws STORAGE_ERROR where there is one. */
export function requireNone(difference: FirstDifference | null, { head, entries }: Trace): void {
  if (difference === null) return;
  const { entry, saved, replayed } = difference;
  const writer = `the file was changed, or version ${head.program_version} does otherwise than this ${VERSION}`;
  const message =
    `nothing is changed; entry ${entry + 1} of ${entries.length} does not come out as it was (${writer}): ` +
    `it was ${shortened(saved)} and is ${shortened(replayed)}`;
  throw new BrokerError("STORAGE_ERROR", message, { entry, saved, replayed });
}

function shortened(line: string | null): string {
  if (line === null) return "nothing";
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}…`;
}

function inOnePlace(line: string, folders: ReadonlySet<string>): string {
  // A frame of Kafka's names the folder in bytes, together with how long the name is.
  if (line.startsWith('{"kafka_answer"')) return line.replace(/"frame_b64":"[^"]*"/, "");
  const longerFirst = [...folders]
    .filter((path) => path !== "")
    .sort((one, other) => other.length - one.length);
  return longerFirst.reduce((text, path) => text.replaceAll(asText(path), FOLDER), line);
}

/** As it stands in JSON. */
function asText(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
