/** What each argument and each option's value is, so that it can be completed. A test holds that none is missing here. */
import type { Argument, Command, Option } from "commander";
import { wordsOf } from "../command-words.ts";
import { TRANSACTION_STATES } from "../transactions/transaction-state.ts";
import { nameOf } from "./typed-line.ts";

/** What only a running broker knows. */
export type LiveKind =
  | "topics"
  | "partitions"
  | "groups"
  | "transactional ids"
  | "brokers"
  | "snapshots"
  | "fault points"
  | "fault actions"
  | "faults";

/** What this program knows, in modules that are loaded when they are asked for. */
export type OwnKind = "labs" | "sheets" | "contexts" | "event kinds" | "error codes";

export type Kind = LiveKind | OwnKind | "files" | { readonly choices: readonly string[] };

const NOTHING: readonly Kind[] = [];

function choices(...words: readonly string[]): readonly Kind[] {
  return [{ choices: words }];
}

/** By an option's long name, or the words of its command and that. */
const VALUES: { readonly [option: string]: readonly Kind[] } = {
  "--acks": choices("0", "1", "all"),
  "--as": NOTHING,
  "--at": choices("beginning", "end"),
  "--batch-size": NOTHING,
  "--batches": NOTHING,
  "--before": choices("end"),
  "--broker": NOTHING,
  "--broker-id": ["brokers"],
  "--brokers": NOTHING,
  "--bytes-written": NOTHING,
  "--code": ["error codes"],
  "--compression": choices("none", "gzip", "snappy", "lz4", "zstd"),
  "--config": NOTHING,
  "--context": ["contexts"],
  "--count": NOTHING,
  "--delay": NOTHING,
  "--delimiter": NOTHING,
  "--errno": NOTHING,
  "--fetch-size": NOTHING,
  "--first": NOTHING,
  "--format": NOTHING,
  "--from": NOTHING,
  "--group": ["groups"],
  "export --groups": ["groups"],
  "import --groups": NOTHING,
  "--header": NOTHING,
  "--heartbeat": NOTHING,
  "--http": NOTHING,
  "--isolation": choices("read_uncommitted", "read_committed"),
  "--kafka": NOTHING,
  "--kafka-config": ["files"],
  "--joins": NOTHING,
  "--key": NOTHING,
  "--key-delimiter": NOTHING,
  "--kind": ["event kinds"],
  "--max-steps": NOTHING,
  "--lag-critical": NOTHING,
  "--lag-warning": NOTHING,
  "--member": NOTHING,
  "--members": NOTHING,
  "--metadata": NOTHING,
  "--name": NOTHING,
  "--nth": NOTHING,
  "--offset": choices("beginning", "end"),
  "--partition": ["partitions"],
  "--partitions": NOTHING,
  "--probability": NOTHING,
  "--producer-epoch": NOTHING,
  "--producer-id": NOTHING,
  "--record-size": NOTHING,
  "--records": NOTHING,
  "--replica": ["brokers"],
  "--replicas": NOTHING,
  "--save": ["files"],
  "--seconds": NOTHING,
  "--seed": NOTHING,
  "--session-timeout": NOTHING,
  "--shift-by": NOTHING,
  "--starts": NOTHING,
  "--throughput": NOTHING,
  "export --state": ["files"],
  "import --state": ["files"],
  "--time": NOTHING,
  "--timeout": NOTHING,
  "--to": NOTHING,
  "--to-offset": NOTHING,
  "--to-time": NOTHING,
  "--topic": ["topics"],
  "--transaction-age-critical": NOTHING,
  "--transaction-age-warning": NOTHING,
  "--transaction-timeout": NOTHING,
  "--transactional-id": ["transactional ids"],
  "--unset": NOTHING,
  "--value": NOTHING,
  "consume --offset": choices("earliest", "latest"),
  "log dump --offset": NOTHING,
  "log find --offset": NOTHING,
  "tx list --state": choices(...TRANSACTION_STATES),
};

/** By an argument's name, or the words of its command and that. */
const ARGUMENTS: { readonly [argument: string]: readonly Kind[] } = {
  action: ["fault actions"],
  broker: ["brokers"],
  "clock advance duration": NOTHING,
  "context add name": NOTHING,
  "context remove name": ["contexts"],
  "context use name": ["contexts"],
  file: ["files"],
  from: ["snapshots"],
  group: ["groups"],
  "host:port": NOTHING,
  "import topic": NOTHING,
  "lab run name": ["labs"],
  "topics grow partitions": NOTHING,
  "metrics name": NOTHING,
  point: ["fault points"],
  "fault points prefix": ["fault points"],
  request: NOTHING,
  rule: ["faults"],
  sheet: ["sheets"],
  "snapshot delete name": ["snapshots"],
  "snapshot load name": ["snapshots"],
  "snapshot save name": NOTHING,
  to: ["snapshots"],
  topic: ["topics"],
  "topics create topic": NOTHING,
  "topic or folder": ["topics", "files"],
  "topic:partition=offset": NOTHING,
  "topic[:partition]": ["topics"],
  topics: ["topics"],
  "tx abort id": ["transactional ids"],
  "tx describe id": ["transactional ids"],
};

/** `null` when nobody has said. */
export function kindsOfValue(command: Command, option: Option): readonly Kind[] | null {
  if (option.argChoices !== undefined) return choices(...option.argChoices);
  return VALUES[`${wordsOf(command)} ${nameOf(option)}`] ?? VALUES[nameOf(option)] ?? null;
}

/** `null` when nobody has said. */
export function kindsOfArgument(command: Command, argument: Argument): readonly Kind[] | null {
  if (argument.argChoices !== undefined) return choices(...argument.argChoices);
  return ARGUMENTS[`${wordsOf(command)} ${argument.name()}`] ?? ARGUMENTS[argument.name()] ?? null;
}
