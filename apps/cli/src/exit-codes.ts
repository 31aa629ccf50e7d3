/** What a script learns from how the command ended. One number has one meaning, in every command but `check` (check/plugin-line.ts). */
import type { ClientErrorCode } from "@minikafka/client";
import type { ErrorCode } from "@minikafka/protocol/errors";

export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  timedOut: 4,
  refusedByState: 5,
  damaged: 6,
  cannotConnect: 7,
  interrupted: 130,
  /** 128 + 15, as a shell reports it. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For people: in the program's help, and in the reference. */
export const EXIT_MEANINGS: { readonly [Name in keyof typeof EXIT]: string } = {
  ok: "ok",
  unexpected: "unexpected",
  usage: "usage",
  notFound: "not found",
  timedOut: "timed out",
  refusedByState: "refused by the broker's state",
  damaged: "damage found",
  cannotConnect: "cannot connect",
  interrupted: "interrupted (SIGINT, Ctrl-C)",
  terminated: "terminated (SIGTERM)",
};

/** Conditions that no broker reports: the SDK's own, and those of this program. */
export type LocalCode =
  | ClientErrorCode
  /** A line of the input cannot become a record. */
  | "INVALID_INPUT"
  /** A log's files hold what was not written so. */
  | "DAMAGE_FOUND"
  /** Steps are left, have failed, or wait for others. */
  | "NOT_QUIET"
  /** A lab is to run where somebody else has been. */
  | "BROKER_NOT_EMPTY"
  /** A cluster of Kafka's has refused what was asked. */
  | "KAFKA_REFUSED"
  /** The copy of a topic is not, or no longer, what a transfer can go on with. */
  | "COPY_DIFFERS"
  /** Another process has the state of this transfer. */
  | "TRANSFER_RUNNING"
  /** The file of contexts cannot be read, or is none. */
  | "INVALID_CONTEXTS"
  /** Another command is changing the contexts. */
  | "CONTEXTS_IN_USE"
  /** A broker has this name already. */
  | "CONTEXT_EXISTS"
  /** No broker has this name. */
  | "UNKNOWN_CONTEXT"
  /** No record is what was sought. */
  | "NOT_FOUND"
  /** A fault of this program. */
  | "UNEXPECTED";

/** Complete by type: a new code of the protocol does not compile until it has its place here. */
const EXIT_CODES = {
  USAGE: EXIT.usage,
  INVALID_INPUT: EXIT.usage,
  INVALID_CONTEXTS: EXIT.usage,
  CONTEXTS_IN_USE: EXIT.refusedByState,
  CONTEXT_EXISTS: EXIT.refusedByState,
  UNKNOWN_CONTEXT: EXIT.notFound,
  DAMAGE_FOUND: EXIT.damaged,
  NOT_FOUND: EXIT.notFound,
  NOT_QUIET: EXIT.refusedByState,
  BROKER_NOT_EMPTY: EXIT.refusedByState,
  KAFKA_REFUSED: EXIT.refusedByState,
  COPY_DIFFERS: EXIT.refusedByState,
  TRANSFER_RUNNING: EXIT.refusedByState,
  CONNECTION: EXIT.cannotConnect,
  TIMEOUT: EXIT.timedOut,
  CLOSED: EXIT.unexpected,
  BUFFER_FULL: EXIT.unexpected,
  INVALID_ANSWER: EXIT.unexpected,
  NO_POSITION: EXIT.unexpected,
  SERIALIZATION: EXIT.unexpected,
  RECORD_DESERIALIZATION: EXIT.unexpected,
  FAULT_NOT_FIRED: EXIT.refusedByState,
  UNEXPECTED: EXIT.unexpected,

  INVALID_REQUEST: EXIT.usage,
  FRAME_TOO_LARGE: EXIT.usage,
  UNSUPPORTED_OPERATION: EXIT.usage,
  INVALID_TOPIC: EXIT.usage,
  INVALID_CONFIG: EXIT.usage,
  INVALID_TRANSACTION_TIMEOUT: EXIT.usage,
  INVALID_GROUP_ID: EXIT.usage,
  INVALID_SESSION_TIMEOUT: EXIT.usage,
  INVALID_RECORD: EXIT.usage,
  RECORD_TOO_LARGE: EXIT.usage,
  UNSUPPORTED_COMPRESSION_TYPE: EXIT.usage,

  UNKNOWN_TOPIC: EXIT.notFound,
  UNKNOWN_PARTITION: EXIT.notFound,
  OFFSET_OUT_OF_RANGE: EXIT.notFound,
  UNKNOWN_GROUP: EXIT.notFound,
  UNKNOWN_TRANSACTIONAL_ID: EXIT.notFound,
  UNKNOWN_MEMBER: EXIT.notFound,
  UNKNOWN_SNAPSHOT: EXIT.notFound,

  REQUEST_TIMED_OUT: EXIT.timedOut,

  STEPPING_DISABLED: EXIT.refusedByState,
  POLICY_VIOLATION: EXIT.refusedByState,
  TOPIC_ALREADY_EXISTS: EXIT.refusedByState,
  NOT_ENOUGH_REPLICAS: EXIT.refusedByState,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: EXIT.refusedByState,
  NOT_IN_SYNC_REPLICA: EXIT.refusedByState,
  FENCED_LEADER_EPOCH: EXIT.refusedByState,
  LEADER_NOT_AVAILABLE: EXIT.refusedByState,
  BROKER_NOT_AVAILABLE: EXIT.refusedByState,
  PRODUCER_FENCED: EXIT.refusedByState,
  UNKNOWN_PRODUCER_ID: EXIT.refusedByState,
  OUT_OF_ORDER_SEQUENCE: EXIT.refusedByState,
  INVALID_TRANSACTION_STATE: EXIT.refusedByState,
  CONCURRENT_TRANSACTIONS: EXIT.refusedByState,
  TRANSACTION_ABORTED: EXIT.refusedByState,
  UNSTABLE_OFFSET_COMMIT: EXIT.refusedByState,
  ILLEGAL_GENERATION: EXIT.refusedByState,
  NOT_PARTITION_OWNER: EXIT.refusedByState,
  INCONSISTENT_GROUP_PROTOCOL: EXIT.refusedByState,
  GROUP_MAX_SIZE_REACHED: EXIT.refusedByState,
  REBALANCE_IN_PROGRESS: EXIT.refusedByState,
  GROUP_NOT_EMPTY: EXIT.refusedByState,
  GROUP_SUBSCRIBED_TO_TOPIC: EXIT.refusedByState,
  MEMBER_ID_REQUIRED: EXIT.refusedByState,
  FENCED_INSTANCE_ID: EXIT.refusedByState,
  NOT_COORDINATOR: EXIT.refusedByState,
  HISTORY_ENDED: EXIT.refusedByState,
  SNAPSHOTS_FULL: EXIT.refusedByState,
  BROKER_FAILED: EXIT.refusedByState,
  SHUTTING_DOWN: EXIT.refusedByState,

  TOO_MANY_CONNECTIONS: EXIT.cannotConnect,

  CORRUPT_BATCH: EXIT.unexpected,
  STORAGE_ERROR: EXIT.unexpected,
  INTERNAL_ERROR: EXIT.unexpected,
} as const satisfies { readonly [Code in ErrorCode | LocalCode]: ExitCode };

function hasExitCode(code: string): code is keyof typeof EXIT_CODES {
  return Object.hasOwn(EXIT_CODES, code);
}

/** The codes of errors that end with `exit`, by name. */
export function codesEndingWith(exit: ExitCode): string[] {
  return Object.keys(EXIT_CODES)
    .filter((code) => exitCodeFor(code) === exit)
    .sort();
}

/** The exit code for an error's code; a code of a newer broker counts as unexpected. */
export function exitCodeFor(code: string): ExitCode {
  return hasExitCode(code) ? EXIT_CODES[code] : EXIT.unexpected;
}
