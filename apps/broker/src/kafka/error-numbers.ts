/**
 * Which number of Kafka's tells what is amiss. Most are the table's own (ERRORS, `kafkaCode`); some depend on who asks: on the API, and
 * on its version, since clients know what the versions of their time could say.
 */
import { BrokerError } from "@minikafka/core";
import { ERRORS, type ErrorCode } from "@minikafka/protocol";
import { KAFKA_ERRORS, type KafkaErrorName, type KafkaErrorNumber } from "@minikafka/protocol/kafka";
import { BatchRefused } from "./batches/batch-refused.ts";

export const NONE = KAFKA_ERRORS.NONE;

/** A refusal that Kafka's protocol knows, and ours has no code for. */
export class KafkaRefusal extends Error {
  override readonly name = "KafkaRefusal";
  readonly errorCode: KafkaErrorNumber;

  constructor(errorName: KafkaErrorName, message: string) {
    super(message);
    this.errorCode = KAFKA_ERRORS[errorName];
  }
}

/** Of a call. */
export interface Asked {
  readonly api: string;
  readonly version: number;
}

type Kind = "group" | "transaction";

/** Who is asked as a coordinator. */
const KINDS: { readonly [api: string]: Kind } = {
  OffsetCommit: "group",
  OffsetFetch: "group",
  JoinGroup: "group",
  Heartbeat: "group",
  LeaveGroup: "group",
  SyncGroup: "group",
  FindCoordinator: "group",
  DescribeGroups: "group",
  ListGroups: "group",
  DeleteGroups: "group",
  OffsetDelete: "group",
  TxnOffsetCommit: "group",
  InitProducerId: "transaction",
  DescribeTransactions: "transaction",
  ListTransactions: "transaction",
  AddPartitionsToTxn: "transaction",
  AddOffsetsToTxn: "transaction",
  EndTxn: "transaction",
} satisfies { readonly [api: string]: Kind };

/** From this version on PRODUCER_FENCED may be told; before, INVALID_PRODUCER_EPOCH stands for it (KIP-588). */
const FENCED_SINCE: { readonly [api: string]: number } = {
  InitProducerId: 4,
  AddPartitionsToTxn: 2,
  AddOffsetsToTxn: 2,
  EndTxn: 2,
};

/** What the table has no number for, or another one than a client of Kafka expects. */
const OTHERWISE: { readonly [Code in ErrorCode]?: KafkaErrorName } = {
  BROKER_FAILED: "KAFKA_STORAGE_ERROR",
  SHUTTING_DOWN: "BROKER_NOT_AVAILABLE",
};

/**
 * What a coordinator says where a partition's leader would say something else: its clients look for it anew (Kafka:
 * CoordinatorOperationExceptionHelper, TransactionStateManager).
 */
const OF_COORDINATORS: { readonly [Code in ErrorCode]?: KafkaErrorName } = {
  LEADER_NOT_AVAILABLE: "COORDINATOR_NOT_AVAILABLE",
  BROKER_NOT_AVAILABLE: "COORDINATOR_NOT_AVAILABLE",
  NOT_ENOUGH_REPLICAS: "COORDINATOR_NOT_AVAILABLE",
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: "COORDINATOR_NOT_AVAILABLE",
  REQUEST_TIMED_OUT: "COORDINATOR_NOT_AVAILABLE",
  SHUTTING_DOWN: "COORDINATOR_NOT_AVAILABLE",
  STORAGE_ERROR: "NOT_COORDINATOR",
  BROKER_FAILED: "NOT_COORDINATOR",
  RECORD_TOO_LARGE: "UNKNOWN_SERVER_ERROR",
};

/** What one API alone says otherwise. */
const OF_APIS: { readonly [api: string]: { readonly [Code in ErrorCode]?: KafkaErrorName } } = {
  // Who says that it is a member of what is not there, was one of an older group.
  OffsetCommit: { UNKNOWN_GROUP: "ILLEGAL_GENERATION", RECORD_TOO_LARGE: "INVALID_COMMIT_OFFSET_SIZE" },
  TxnOffsetCommit: { UNKNOWN_GROUP: "ILLEGAL_GENERATION", RECORD_TOO_LARGE: "INVALID_COMMIT_OFFSET_SIZE" },
  // Consumers before 3.9 take COORDINATOR_NOT_AVAILABLE here for the end of all things (Kafka: handleOffsetFetchException).
  OffsetFetch: {
    NOT_ENOUGH_REPLICAS: "NOT_COORDINATOR",
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: "NOT_COORDINATOR",
    REQUEST_TIMED_OUT: "NOT_COORDINATOR",
  },
  // A name that no group may have is that of none.
  DeleteGroups: { INVALID_GROUP_ID: "GROUP_ID_NOT_FOUND" },
};

const OF_TRANSACTIONS: { readonly [Code in ErrorCode]?: KafkaErrorName } = {
  UNKNOWN_TRANSACTIONAL_ID: "INVALID_PRODUCER_ID_MAPPING",
  UNKNOWN_PRODUCER_ID: "INVALID_PRODUCER_ID_MAPPING",
};

/** Who is asked by producers in transactions. */
const TRANSACTIONAL: readonly string[] = ["Produce", "TxnOffsetCommit"];

/** Who asks for the next epoch of what its transactional id does not have is fenced, also by another id than its own. */
function isFenced(code: ErrorCode, api: string): boolean {
  if (code === "PRODUCER_FENCED" || code === "TRANSACTION_ABORTED") return true;
  return api === "InitProducerId" && OF_TRANSACTIONS[code] !== undefined;
}

/** Fetch before 6 does not know KAFKA_STORAGE_ERROR (KIP-112): with this its clients look for another leader. */
const STORAGE_ERROR_SINCE = 6;

function nameOf(code: ErrorCode, { api, version }: Asked): KafkaErrorName | null {
  if (
    api === "Fetch" &&
    version < STORAGE_ERROR_SINCE &&
    (code === "STORAGE_ERROR" || code === "BROKER_FAILED")
  )
    return "NOT_LEADER_OR_FOLLOWER";
  if (isFenced(code, api)) {
    const since = FENCED_SINCE[api];
    return since !== undefined && version >= since ? "PRODUCER_FENCED" : "INVALID_PRODUCER_EPOCH";
  }
  const kind = KINDS[api];
  // Since then members of consumer groups commit as well, and a group that is not there is told as that (KIP-848).
  if (code === "UNKNOWN_GROUP" && api === "OffsetCommit" && version >= 9) return "GROUP_ID_NOT_FOUND";
  const ofApi = OF_APIS[api]?.[code];
  if (ofApi !== undefined) return ofApi;
  if (kind !== undefined && OF_COORDINATORS[code] !== undefined) return OF_COORDINATORS[code];
  if ((kind === "transaction" || TRANSACTIONAL.includes(api)) && OF_TRANSACTIONS[code] !== undefined)
    return OF_TRANSACTIONS[code];
  return OTHERWISE[code] ?? null;
}

const NUMBERS: ReadonlySet<number> = new Set(Object.values(KAFKA_ERRORS));

function isKafkaErrorNumber(number: number): number is KafkaErrorNumber {
  return NUMBERS.has(number);
}

/** The number that a client of this API and version is told for one of our codes. */
export function numberOfCode(code: ErrorCode, asked: Asked): KafkaErrorNumber {
  const name = nameOf(code, asked);
  if (name !== null) return KAFKA_ERRORS[name];
  const number = ERRORS[code].kafkaCode;
  return number !== null && isKafkaErrorNumber(number) ? number : KAFKA_ERRORS.UNKNOWN_SERVER_ERROR;
}

/**
 * Who has the producer id that its transactional id has, and another epoch, is fenced, also by one that is to come. To a coordinator every
 * other id is a stranger's (Kafka: TransactionCoordinator), also one that was there before.
 */
function codeOf({ code, details }: BrokerError, { api }: Asked): ErrorCode {
  const isOther = code === "UNKNOWN_PRODUCER_ID" || (code === "PRODUCER_FENCED" && api !== "Produce");
  if (!isOther || details.current_id === undefined) return code;
  return details.producer_id === details.current_id ? "PRODUCER_FENCED" : "UNKNOWN_TRANSACTIONAL_ID";
}

/** The number of what was thrown, where it is a refusal; throws it on where it is a fault of ours. */
export function numberOf(problem: unknown, asked: Asked): KafkaErrorNumber {
  if (problem instanceof KafkaRefusal) return problem.errorCode;
  if (problem instanceof BatchRefused) return KAFKA_ERRORS[problem.errorName];
  if (problem instanceof BrokerError) return numberOfCode(codeOf(problem, asked), asked);
  throw problem;
}
