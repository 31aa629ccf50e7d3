/** The line after an error: what to do next. One place, so that the same trouble gets the same advice in every command. */
import type { ErrorCode } from "@minikafka/protocol/errors";
import type { LocalCode } from "./exit-codes.ts";
import type { Failure } from "./failure.ts";
import { isDamage } from "./outcome.ts";
import { quietHint } from "./steps/quiet-hint.ts";

/** What the command was about. */
export interface HintFacts {
  /** As the user would write it after `-b`. */
  readonly broker: string;
  /** What that broker is called, where a context has named it. */
  readonly context?: string;
  /** The variable of the environment that has said where it is. */
  readonly variable?: string;
  readonly topic?: string;
  readonly group?: string;
  /** Its words, such as `topics delete`. */
  readonly command?: string;
}

type Advice = string | null | ((facts: Required<HintFacts>, failure: Failure) => string | null);

const REFRESH = "run the command again: the broker's state has changed in between";
const SEE_LOG = "the broker's log says more; it is on its standard error";
const RESTART = "look at the broker's disk and log, then restart it";

/** What --lab alone does not allow. */
const NEEDS_MANUAL: readonly string[] = [
  "clock advance",
  "trace",
  "snapshot save",
  "snapshot load",
  "snapshot list",
  "snapshot delete",
  "snapshot diff",
];

/** Records that may or may not be there. */
function openProduce(topic: string): string {
  return (
    "the outcome is open, so look before you try again; under a manual clock --acks all waits for " +
    `minikafka-cli step replicate ${topic} from another terminal; --timeout 60s waits longer`
  );
}

/** Changes of groups are records of an internal topic, which its followers have to have before they count. */
const GROUP_CHANGES: readonly unknown[] = [
  "join_group",
  "leave_group",
  "commit_offsets",
  "delete_group",
  "delete_offsets",
  "expire_members",
  "expire_offsets",
];

/** Those of transactions are records of another one, and of every partition of theirs. */
const TRANSACTION_CHANGES: readonly unknown[] = [
  "init_producer",
  "begin_transaction",
  "send_offsets",
  "end_transaction",
  "abort_transaction",
  "expire_transactions",
];

/** An end that was decided is completed by the broker's own step. */
const openTransactionChange =
  "the outcome is open: minikafka-cli tx list shows it, and an end that was decided is completed within a second or so; under a manual " +
  "clock that takes minikafka-cli step expire-transactions, and step replicate a few times from another terminal";

/** The commit may be there or not. */
const openGroupChange =
  "the outcome is open, so look before you try again; minikafka-cli topics describe __consumer_offsets shows the ISR, and " +
  "under a manual clock minikafka-cli step replicate __consumer_offsets from another terminal lets it go on";

function stopMembers(group: string): string {
  return `stop the members first, or wait for the end of their sessions; minikafka-cli groups describe ${group} --members shows them`;
}

/** A restart mends nothing here. */
function aroundDamage(topic: string, { details: { partition = "N", file } }: Failure): string {
  const where = typeof file === "string" ? file.replace(/[\\/][^\\/]*$/, "") : "./data";
  return (
    `minikafka-cli log verify ${where} tells what is damaged, fetch ${topic} -p reads other partitions and -o past the ` +
    `damage; with replicas, promote ${topic} BROKER -p ${partition}, then rejoin ${topic} BROKER -p ${partition}, copies it anew`
  );
}

const TOPIC_NAMES = "a name has 1 to 249 of the characters a-z A-Z 0-9 . _ -, and is not . or ..";

/** Whether `topics create` takes it as it stands: also one that begins like an option is none. */
function mayBeCreated(topic: string): boolean {
  return /^(?!\.{1,2}$|-)[\w.-]{1,249}$/.test(topic);
}

/** Complete by type. `null` where the message says all there is to do. */
const HINTS = {
  USAGE: ({ command }) =>
    command === ""
      ? "minikafka-cli --help lists the commands, minikafka-cli COMMAND --help its options"
      : `minikafka-cli ${command} --help shows what it takes`,
  INVALID_INPUT: "lines before it, if any, were produced; correct it and go on from there",
  DAMAGE_FOUND: null,
  NOT_FOUND: null,
  INVALID_CONTEXTS: null,
  CONTEXTS_IN_USE:
    "run the command again; a process that has been stopped keeps them until it goes on or is ended",
  CONTEXT_EXISTS: "--replace takes the name for the new broker",
  UNKNOWN_CONTEXT:
    "minikafka-cli context list shows them; minikafka-cli context add NAME HOST:PORT makes one",
  BROKER_NOT_EMPTY:
    "start one on a new folder, with --clock manual and the lab's --brokers, or leave --broker out: the lab then has its own",
  KAFKA_REFUSED: null,
  COPY_DIFFERS: null,
  TRANSFER_RUNNING: "wait for its end, or end it; what it has done by then, the next run goes on from",
  NOT_QUIET: (_facts, { details }) => quietHint(details.unquiet),
  CONNECTION: ({ broker, context, variable, command }, { details }) =>
    command === "bench start"
      ? "the broker is its own, on a free port: --timeout 60s waits longer for it"
      : details.sent === true
        ? `the connection broke after the request had gone out, so look whether it took effect; is ${broker} still running?`
        : context !== ""
          ? `is a broker running at ${broker}, as the context ${context} says? minikafka-cli context list shows them all; -b HOST:PORT names another`
          : variable !== ""
            ? `is a broker running at ${broker}, as ${variable} says? Unset that, or name another with -b HOST:PORT`
            : `is a broker running at ${broker}? Start one with npm start, or minikafka-broker --data ./data; -b HOST:PORT names another`,
  TIMEOUT: ({ topic }, { details }) =>
    details.operation === "produce"
      ? openProduce(topic)
      : GROUP_CHANGES.includes(details.operation)
        ? openGroupChange
        : TRANSACTION_CHANGES.includes(details.operation)
          ? openTransactionChange
          : "--timeout 60s waits longer; minikafka-cli ping shows whether the broker answers at all, and fault list whether a fault holds what was asked",
  CLOSED: null,
  BUFFER_FULL: null,
  INVALID_ANSWER: ({ broker }, { message }) =>
    message.includes('it begins "HTTP/')
      ? `an HTTP server listens at ${broker}; -b HOST:PORT names the broker's port for lines of JSON, its --port, 9192 by default`
      : `is it a MiniKafka broker that listens at ${broker}?`,
  NO_POSITION: null,
  SERIALIZATION: null,
  RECORD_DESERIALIZATION: null,
  FAULT_NOT_FIRED: (_facts, { message }) => {
    const none = "with no hits, nothing came by within its scope";
    const others = / at request\.\S+ after 0 hits/.test(message)
      ? "; Kafka's clients pass kafka.Produce and the like"
      : "";
    return `minikafka-cli fault list shows how often each could have acted: ${none}${others}`;
  },
  UNEXPECTED: "this is a fault of minikafka-cli; please report it with the lines above",

  INVALID_REQUEST: ({ command }, { details }) =>
    typeof details.json_address === "string"
      ? `-b ${details.json_address} is this broker's port for the command line`
      : command === "fault arm"
        ? "minikafka-cli fault points lists what each point takes, minikafka-cli fault arm --help the options"
        : null,
  FRAME_TOO_LARGE: "send less at once, or start the broker with a larger --max-frame-bytes",
  UNSUPPORTED_OPERATION: `this broker is older than the command; minikafka-cli raw '{"operation":"hello"}' lists what it offers`,
  STEPPING_DISABLED: ({ command }) =>
    NEEDS_MANUAL.includes(command)
      ? "minikafka-broker --data ./data --clock manual leaves time and background work to you"
      : "minikafka-broker --data ./data --lab keeps its clock; --clock manual leaves time and background work to you",
  UNKNOWN_TOPIC: ({ topic, command }) =>
    command === "topics delete"
      ? "minikafka-cli topics list shows the topics; --if-exists passes over those that are not there"
      : !mayBeCreated(topic)
        ? `minikafka-cli topics list shows the topics; ${TOPIC_NAMES}`
        : `minikafka-cli topics list shows the topics; minikafka-cli topics create ${topic} -p 1 creates this one`,
  UNKNOWN_PARTITION: ({ topic, command }) => {
    const all = `minikafka-cli topics describe ${topic} shows its partitions, from 0`;
    return command === "produce" ? `${all}; -p N overrides the partition that a line of --jsonl names` : all;
  },
  TOPIC_ALREADY_EXISTS:
    "--if-not-exists makes this a success; minikafka-cli topics describe shows what is there",
  INVALID_TOPIC: (_facts, { details }) =>
    typeof details.collides_with === "string"
      ? `choose another name, or go on with ${details.collides_with}`
      : TOPIC_NAMES,
  INVALID_CONFIG: ({ command }, { details, message }) =>
    typeof details.brokers === "number"
      ? "the number of brokers is the daemon's --brokers, which may grow at a restart"
      : message.includes("number of milliseconds")
        ? "durations are taken as well: 500ms, 10s, 1h, 7d, or 1d12h"
        : command === "topics create"
          ? "the settings and their bounds: minikafka-cli topics config TOPIC, of any topic"
          : null,
  POLICY_VIOLATION: ({ topic }) => `minikafka-cli topics config ${topic} shows its cleanup_policy`,
  INVALID_RECORD: null,
  RECORD_TOO_LARGE: "split the value, or keep it elsewhere and send where it lies",
  UNSUPPORTED_COMPRESSION_TYPE: "another codec may be there: gzip always is",
  CORRUPT_BATCH: SEE_LOG,
  OFFSET_OUT_OF_RANGE: ({ topic, command }) => {
    const bounds = `minikafka-cli topics describe ${topic} shows where each log begins and ends`;
    return command === "fetch" ? `${bounds}; -o beginning and -o end always work` : bounds;
  },
  NOT_ENOUGH_REPLICAS: ({ topic }) =>
    `minikafka-cli topics describe ${topic} shows the ISR; --acks 1 does not wait for it`,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: ({ topic }) =>
    `the record may be there; minikafka-cli topics describe ${topic} shows the ISR`,
  NOT_IN_SYNC_REPLICA: ({ topic }) =>
    `minikafka-cli replicas ${topic} shows who is in sync; --unclean takes another one, and loses what only others hold`,
  FENCED_LEADER_EPOCH: REFRESH,
  LEADER_NOT_AVAILABLE: ({ topic }, { details: { partition = "N" } }) =>
    `minikafka-cli describe shows which brokers run; minikafka-cli promote ${topic} BROKER -p ${partition} makes another replica the leader`,
  BROKER_NOT_AVAILABLE: "minikafka-cli describe shows which brokers run",
  REQUEST_TIMED_OUT: ({ topic, command }) =>
    command === "produce"
      ? openProduce(topic)
      : command.startsWith("tx ") || command === "step expire-transactions"
        ? openTransactionChange
        : openGroupChange,
  PRODUCER_FENCED: "another instance of this producer took over; only that one may go on",
  UNKNOWN_PRODUCER_ID: ({ command }) =>
    command === "tx abort"
      ? "minikafka-cli tx list --state ongoing shows the producer and the epoch of what is open"
      : "a producer gets its id when it starts: start it again; the data folder may be another than before",
  OUT_OF_ORDER_SEQUENCE: null,
  INVALID_TRANSACTION_STATE: null,
  CONCURRENT_TRANSACTIONS:
    "the transaction before is still being ended: run the command again in a moment; minikafka-cli tx list shows it",
  INVALID_TRANSACTION_TIMEOUT: "the broker's --transaction-max-timeout-ms is the longest that it takes",
  UNKNOWN_TRANSACTIONAL_ID: "minikafka-cli tx list shows the transactional ids",
  UNSTABLE_OFFSET_COMMIT: "run the command again in a moment, or see minikafka-cli tx list",
  TRANSACTION_ABORTED:
    "nothing of it is visible to read_committed; run the command again, which begins a new transaction",
  UNKNOWN_GROUP: "minikafka-cli groups list shows the groups; the first member or commit makes one",
  UNKNOWN_MEMBER: ({ group, command }) =>
    command === "offsets commit" || command === "groups seek" ? stopMembers(group) : REFRESH,
  ILLEGAL_GENERATION: REFRESH,
  NOT_PARTITION_OWNER: REFRESH,
  INCONSISTENT_GROUP_PROTOCOL: ({ group }, { details }) =>
    typeof details.assignor === "string"
      ? `--assignor names the members' one, which minikafka-cli groups describe ${group} --state shows`
      : `a group has clients of Kafka's or of this protocol, never both at a time: name another one; or ${stopMembers(group)}`,
  GROUP_MAX_SIZE_REACHED: "let the members subscribe to fewer topics, or join another group",
  REBALANCE_IN_PROGRESS: "run the command again in a moment",
  GROUP_NOT_EMPTY: ({ group }) => stopMembers(group),
  GROUP_SUBSCRIBED_TO_TOPIC: ({ group }) => stopMembers(group),
  INVALID_GROUP_ID: null,
  INVALID_SESSION_TIMEOUT:
    "the broker's --group-min-session-timeout-ms and --group-max-session-timeout-ms bound it",
  MEMBER_ID_REQUIRED: null,
  FENCED_INSTANCE_ID: "another member has the same group.instance.id; only that one may go on",
  NOT_COORDINATOR: REFRESH,
  UNKNOWN_SNAPSHOT: "minikafka-cli snapshot list shows those that there are",
  SNAPSHOTS_FULL: "minikafka-cli snapshot delete NAME forgets one; with --folder a snapshot takes no memory",
  HISTORY_ENDED: (_facts, { details }) =>
    details.disk_error === undefined
      ? "start the broker with a larger --history-max-bytes"
      : "once the disk is well, load what was saved before, or restart the broker: its history then begins anew",
  STORAGE_ERROR: ({ topic, command }, failure) =>
    command.startsWith("snapshot ") && failure.details.replayed !== undefined
      ? "minikafka-cli snapshot load NAME --accept-difference takes it as it comes out; the broker that saved it has it as it was"
      : isDamage(failure)
        ? aroundDamage(topic, failure)
        : /\b(?:ENOSPC|EDQUOT)\b/.test(failure.message)
          ? "make room on the broker's disk, then run the command again"
          : RESTART,
  BROKER_FAILED: RESTART,
  SHUTTING_DOWN: "start the broker again, then run the command again",
  TOO_MANY_CONNECTIONS: "close other clients, then run the command again",
  INTERNAL_ERROR: SEE_LOG,
} as const satisfies { readonly [Code in ErrorCode | LocalCode]: Advice };

function hasHint(code: string): code is keyof typeof HINTS {
  return Object.hasOwn(HINTS, code);
}

/** The advice for a failure, without its `hint:`; the failure's own comes first. */
export function hintFor(failure: Failure, facts: HintFacts): string | null {
  if (failure.hint !== undefined) return failure.hint;
  if (!hasHint(failure.code)) return null;
  const advice: Advice = HINTS[failure.code];
  if (typeof advice !== "function") return advice;
  // Of several topics that a command was about, or of none, the failure knows which one it is.
  const named = typeof failure.details.topic === "string" ? { topic: failure.details.topic } : {};
  return advice(
    { topic: "TOPIC", group: "GROUP", command: "", context: "", variable: "", ...facts, ...named },
    failure,
  );
}
