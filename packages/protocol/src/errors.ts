/**
 * The one table of error codes. Everything that mentions a code is checked against it: the kernel's BrokerError, the
 * SDK's retries, the printed reference. A code has one meaning and one `retriable` value, and a client may rely on both.
 */
export interface ErrorEntry {
  /** True when the same request may succeed later without any change by the caller. */
  readonly retriable: boolean;
  /** Kafka's number for the same condition (org.apache.kafka.common.protocol.Errors), or `null` when Kafka has none. */
  readonly kafkaCode: number | null;
  readonly sentence: string;
}

export const ERRORS = {
  INVALID_REQUEST: {
    retriable: false,
    kafkaCode: 42,
    sentence:
      "The line is not a request of this protocol; the message names the field and what was expected.",
  },
  FRAME_TOO_LARGE: {
    retriable: false,
    kafkaCode: null,
    sentence: "The line is longer than max_frame_bytes; the connection closes.",
  },
  UNSUPPORTED_OPERATION: {
    retriable: false,
    kafkaCode: 35,
    sentence: "The broker has no operation of this name.",
  },
  STEPPING_DISABLED: {
    retriable: false,
    kafkaCode: null,
    sentence: "Stepping needs a daemon started with --lab, or in manual clock mode.",
  },
  UNKNOWN_TOPIC: { retriable: false, kafkaCode: 3, sentence: "No topic has this name." },
  UNKNOWN_PARTITION: {
    retriable: false,
    kafkaCode: 3,
    sentence: "The topic has no partition of this number.",
  },
  TOPIC_ALREADY_EXISTS: { retriable: false, kafkaCode: 36, sentence: "A topic of this name exists." },
  INVALID_TOPIC: {
    retriable: false,
    kafkaCode: 17,
    sentence: "The name cannot be a topic's, or collides with another topic's name.",
  },
  INVALID_CONFIG: {
    retriable: false,
    kafkaCode: 40,
    sentence: "A setting is unknown or its value is out of bounds; the message names the key.",
  },
  POLICY_VIOLATION: {
    retriable: false,
    kafkaCode: 44,
    sentence: "The topic's cleanup_policy does not allow this.",
  },
  INVALID_RECORD: {
    retriable: false,
    kafkaCode: 87,
    sentence: "A record breaks the rules of its topic or of the format.",
  },
  RECORD_TOO_LARGE: {
    retriable: false,
    kafkaCode: 10,
    sentence: "The batch is larger than the broker takes.",
  },
  UNSUPPORTED_COMPRESSION_TYPE: {
    retriable: false,
    kafkaCode: 76,
    sentence: "The broker cannot read the codec of the batch's records, so that it cannot check them.",
  },
  CORRUPT_BATCH: { retriable: false, kafkaCode: 2, sentence: "The bytes are not a whole, undamaged batch." },
  OFFSET_OUT_OF_RANGE: {
    retriable: false,
    kafkaCode: 1,
    sentence: "The offset is below the log's start or past its end; details give both.",
  },
  NOT_ENOUGH_REPLICAS: {
    retriable: true,
    kafkaCode: 19,
    sentence: "The in-sync replicas are fewer than min_insync_replicas; nothing was appended.",
  },
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: {
    retriable: true,
    kafkaCode: 20,
    sentence:
      "The in-sync replicas became fewer than min_insync_replicas after the append; the record's fate is open.",
  },
  NOT_IN_SYNC_REPLICA: {
    retriable: false,
    kafkaCode: null,
    sentence: "The broker is not in the partition's in-sync set.",
  },
  FENCED_LEADER_EPOCH: {
    retriable: true,
    kafkaCode: 74,
    sentence: "The leader epoch is not the partition's current one; refresh the metadata.",
  },
  LEADER_NOT_AVAILABLE: { retriable: true, kafkaCode: 5, sentence: "The partition has no running leader." },
  BROKER_NOT_AVAILABLE: { retriable: true, kafkaCode: 8, sentence: "The broker is stopped or unknown." },
  REQUEST_TIMED_OUT: {
    retriable: true,
    kafkaCode: 7,
    sentence: "The acknowledgement did not come in time; the record's fate is open.",
  },
  PRODUCER_FENCED: {
    retriable: false,
    kafkaCode: 90,
    sentence: "A newer instance of this producer is at work.",
  },
  UNKNOWN_PRODUCER_ID: {
    retriable: false,
    kafkaCode: 59,
    sentence:
      "Nobody was given this producer id, or, where it belongs to a name, this epoch of it; ask init_producer for one.",
  },
  OUT_OF_ORDER_SEQUENCE: {
    retriable: false,
    kafkaCode: 45,
    sentence: "The batch does not follow the producer's last one; details give expected and actual.",
  },
  INVALID_TRANSACTION_STATE: {
    retriable: false,
    kafkaCode: 48,
    sentence: "The transaction is not in a state that allows this.",
  },
  CONCURRENT_TRANSACTIONS: {
    retriable: true,
    kafkaCode: 51,
    sentence: "The previous transaction of this id is still being completed.",
  },
  INVALID_TRANSACTION_TIMEOUT: {
    retriable: false,
    kafkaCode: 50,
    sentence: "The transaction timeout is longer than the broker allows; details give the bound.",
  },
  UNKNOWN_TRANSACTIONAL_ID: {
    retriable: false,
    kafkaCode: 105,
    sentence: "No producer has this transactional id, or it was forgotten; ask init_producer for it.",
  },
  UNSTABLE_OFFSET_COMMIT: {
    retriable: true,
    kafkaCode: 88,
    sentence: "An open transaction has offsets for the partition, whose fate is open.",
  },
  TRANSACTION_ABORTED: {
    retriable: false,
    kafkaCode: null,
    sentence:
      "The transaction was aborted, and its records with it, since its time was over or an operator did so (details: cause); begin another one and do its work again, with the next epoch from init_producer, which the SDK asks for by itself.",
  },
  UNKNOWN_GROUP: { retriable: false, kafkaCode: 69, sentence: "No group has this id." },
  UNKNOWN_MEMBER: { retriable: false, kafkaCode: 25, sentence: "The group has no such member." },
  ILLEGAL_GENERATION: {
    retriable: false,
    kafkaCode: 22,
    sentence: "The generation is not the group's current one.",
  },
  NOT_PARTITION_OWNER: {
    retriable: false,
    kafkaCode: null,
    sentence: "The member does not own this partition.",
  },
  INCONSISTENT_GROUP_PROTOCOL: {
    retriable: false,
    kafkaCode: 23,
    sentence: "The members of the group share partitions out in another way.",
  },
  GROUP_MAX_SIZE_REACHED: {
    retriable: false,
    kafkaCode: 81,
    sentence: "The group is as large as a group may be.",
  },
  REBALANCE_IN_PROGRESS: { retriable: true, kafkaCode: 27, sentence: "The group is rebalancing." },
  GROUP_NOT_EMPTY: { retriable: false, kafkaCode: 68, sentence: "The group has members." },
  INVALID_GROUP_ID: { retriable: false, kafkaCode: 24, sentence: "The text cannot be a group's id." },
  INVALID_SESSION_TIMEOUT: {
    retriable: false,
    kafkaCode: 26,
    sentence: "The session timeout is out of the broker's bounds; details give both.",
  },
  MEMBER_ID_REQUIRED: {
    retriable: false,
    kafkaCode: 79,
    sentence: "The member was given an id (details: member_id), and is to join with it.",
  },
  FENCED_INSTANCE_ID: {
    retriable: false,
    kafkaCode: 82,
    sentence: "Another member has taken the place of this static member.",
  },
  GROUP_SUBSCRIBED_TO_TOPIC: {
    retriable: false,
    kafkaCode: 86,
    sentence: "A member of the group subscribes to the topic, so that its offsets stay.",
  },
  NOT_COORDINATOR: {
    retriable: true,
    kafkaCode: 16,
    sentence: "Another broker coordinates the group or the transactional id; ask which one.",
  },
  UNKNOWN_SNAPSHOT: { retriable: false, kafkaCode: null, sentence: "No snapshot has this name." },
  HISTORY_ENDED: {
    retriable: false,
    kafkaCode: null,
    sentence: "More has happened than is kept (history_max_bytes), so that this cannot be made again.",
  },
  SNAPSHOTS_FULL: {
    retriable: false,
    kafkaCode: null,
    sentence:
      "The snapshots in memory would hold more than they may (snapshots_max_bytes); those that were saved before stay.",
  },
  STORAGE_ERROR: {
    retriable: false,
    kafkaCode: 56,
    sentence: "The disk refused, or what it holds is damaged; the message names file and position.",
  },
  BROKER_FAILED: {
    retriable: false,
    kafkaCode: null,
    sentence: "A flush failed, so the broker takes no writes until it is restarted.",
  },
  SHUTTING_DOWN: { retriable: true, kafkaCode: null, sentence: "The broker is stopping." },
  TOO_MANY_CONNECTIONS: {
    retriable: true,
    kafkaCode: null,
    sentence: "The broker has as many connections as it takes.",
  },
  INTERNAL_ERROR: {
    retriable: false,
    kafkaCode: -1,
    sentence: "A fault of the broker; its log carries the same id.",
  },
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERRORS;

/** True for a code of the table; a newer broker may send others. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Whether a request that failed with `code` may simply be sent again. An unknown code is not retriable. */
export function isRetriable(code: string): boolean {
  return isErrorCode(code) && ERRORS[code].retriable;
}
