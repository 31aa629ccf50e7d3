/**
 * What the SDK throws. A code of the broker keeps its name and its meaning (the protocol's one table); what only a client
 * can find has the codes below. A code of a newer broker is kept as it came.
 */
import { type ErrorCode, isErrorCode, isRetriable as isRetriableCode } from "@minikafka/protocol/errors";

interface ClientErrorEntry {
  /** True when the same call may succeed later without any change by the caller. */
  readonly retriable: boolean;
  readonly sentence: string;
}

/** The SDK's own codes; the broker's are in the protocol's table. */
export const CLIENT_ERRORS = {
  CONNECTION: {
    retriable: true,
    sentence:
      "The link could not be made or broke; details.sent says whether the request had gone out, its effect then being unknown.",
  },
  TIMEOUT: {
    retriable: true,
    sentence:
      "No answer came in time; details.sent says whether the request had gone out, its effect then being unknown.",
  },
  CLOSED: { retriable: false, sentence: "The client, producer or consumer was closed." },
  BUFFER_FULL: {
    retriable: true,
    sentence: "The producer holds as many unacknowledged bytes as it may; Producer.drain waits for room.",
  },
  INVALID_ANSWER: { retriable: false, sentence: "What came back is not an answer of this protocol." },
  NO_POSITION: {
    retriable: false,
    sentence: "The partition has no position, and autoOffsetReset is error: seek first.",
  },
  SERIALIZATION: {
    retriable: false,
    sentence:
      "A serializer refused the key or the value of a record, which was not accepted; its cause says why.",
  },
  RECORD_DESERIALIZATION: {
    retriable: false,
    sentence:
      "A deserializer refused the key or the value of a record; seek past its details.offset to go on.",
  },
  FAULT_NOT_FIRED: {
    retriable: false,
    sentence: "A fault that was armed on purpose has not acted; details.hits says how often it could have.",
  },
  USAGE: { retriable: false, sentence: "The call is not one that this SDK takes; the message says why." },
} as const satisfies { readonly [code: string]: ClientErrorEntry };

/** A code that only a client can find. */
export type ClientErrorCode = keyof typeof CLIENT_ERRORS;

/** A known code, or one of a newer broker; the last member keeps completion for the known ones. */
export type MiniKafkaErrorCode = ErrorCode | ClientErrorCode | (string & Record<never, never>);

/** Numbers and names beside the message of an error. */
export type MiniKafkaErrorDetails = Readonly<{ [name: string]: unknown }>;

export interface MiniKafkaErrorFacts {
  readonly details?: MiniKafkaErrorDetails | undefined;
  readonly cause?: unknown;
  /** For codes that are in no table: what the broker said. */
  readonly retriable?: boolean | undefined;
  /** Left out: as the code says. */
  readonly effect?: TransactionEffect | undefined;
}

/** What an error means for a transactional producer that may not simply repeat the call (Kafka: KIP-1050). */
export type TransactionEffect = "abortable" | "fatal";

/** Codes that mean the same wherever they come from. */
const EFFECTS: { readonly [code: string]: TransactionEffect } = {
  PRODUCER_FENCED: "fatal",
  INVALID_TRANSACTION_TIMEOUT: "fatal",
  TRANSACTION_ABORTED: "abortable",
};

/**
 * An error with a code that programs may rely on. At most one of `retriable`, `abortable` and `fatal` is true; none is unless a
 * table, a newer broker or a transaction says so.
 */
export class MiniKafkaError extends Error {
  override readonly name = "MiniKafkaError";
  readonly code: MiniKafkaErrorCode;
  /** What `abortable` and `fatal` say in one word; `undefined` when both are false. */
  readonly effect: TransactionEffect | undefined;
  /** The same call may succeed later without any change by the caller. */
  readonly retriable: boolean;
  /** The transaction can only be aborted. The producer goes on with the next one. */
  readonly abortable: boolean;
  /** The producer cannot go on: close it. Another one may be made, unless a newer instance is at work (PRODUCER_FENCED). */
  readonly fatal: boolean;
  /** Numbers and names beside the message: offsets, topic, partition, `sent` … */
  readonly details: MiniKafkaErrorDetails;

  constructor(code: MiniKafkaErrorCode, message: string, facts: MiniKafkaErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.details = facts.details ?? {};
    this.effect = facts.effect ?? (Object.hasOwn(EFFECTS, code) ? EFFECTS[code] : undefined);
    this.retriable =
      this.effect === undefined && (isDecidedEnd(this.details) || retriableOf(code, facts.retriable));
    this.abortable = this.effect === "abortable";
    this.fatal = this.effect === "fatal";
  }
}

/** Of the end of a transaction, which the coordinator has decided and could not complete: asked again, it goes on with that. */
function isDecidedEnd({ decided }: MiniKafkaErrorDetails): boolean {
  return decided === "commit" || decided === "abort";
}

function retriableOf(code: string, said: boolean | undefined): boolean {
  if (isClientErrorCode(code)) return CLIENT_ERRORS[code].retriable;
  return isErrorCode(code) ? isRetriableCode(code) : said === true;
}

function isClientErrorCode(code: string): code is ClientErrorCode {
  return Object.hasOwn(CLIENT_ERRORS, code);
}

/** Whether the call that failed with `error` may simply be made again. False for anything that is not ours. */
export function isRetriable(error: unknown): boolean {
  return error instanceof MiniKafkaError && error.retriable;
}

/** Whether `error` is ours and has one of `codes`. */
export function hasCode<Code extends MiniKafkaErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is MiniKafkaError & { readonly code: Code } {
  return error instanceof MiniKafkaError && codes.some((code) => code === error.code);
}

/**
 * Whether a request that failed with `error` may have taken effect all the same: it went out and no answer came back, or
 * the answer itself left its fate open. Repeating such a produce can write the records twice.
 */
export function isFateUnknown(error: MiniKafkaError): boolean {
  // An attempt before had no answer, whatever became of the last one.
  if (error.details.inDoubt === true || isDecidedEnd(error.details)) return true;
  // The broker has it, and cannot say whether it stays: its leader was replaced, say, before the others had it.
  if (error.details.appended === true) return true;
  switch (error.code) {
    case "CONNECTION":
    case "TIMEOUT":
    case "CLOSED":
    case "INVALID_ANSWER":
      return error.details.sent === true;
    case "REQUEST_TIMED_OUT":
    case "NOT_ENOUGH_REPLICAS_AFTER_APPEND":
      return true;
    default:
      return false;
  }
}

/** What was thrown, as one of ours; anything else is a fault of this SDK and goes on as it is. */
export function asMiniKafkaError(error: unknown): MiniKafkaError {
  if (error instanceof MiniKafkaError) return error;
  throw error;
}
