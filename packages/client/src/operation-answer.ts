/** An answer's fields, checked against its operation's schema, and how long an operation may make one wait for it. */
import {
  encodeBase64,
  type JsonObject,
  OPERATIONS,
  type OperationName,
  type ParsedResponse,
  parse,
} from "@minikafka/protocol";
import { MiniKafkaError } from "./errors.ts";

/** Throws INVALID_ANSWER for fields that are not this operation's. */
export function parseAnswer<Name extends OperationName>(
  name: Name,
  fields: JsonObject,
): ParsedResponse<Name> {
  const parsed = parse(OPERATIONS[name].response, fields);
  // The table pairs each name with its schema, which a lookup by a type parameter cannot express.
  if (parsed.success) return parsed.data as ParsedResponse<Name>;
  throw new MiniKafkaError("INVALID_ANSWER", `the answer to ${name}: ${parsed.problem}`, {
    details: { operation: name, sent: true },
  });
}

/** The fields as they came over the wire: Base64 that was decoded when the line was read is text again. */
export function asText(fields: JsonObject): JsonObject {
  return withTextIn(fields) as JsonObject;
}

function withTextIn(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return encodeBase64(value);
  if (Array.isArray(value)) return value.map(withTextIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTextIn(member)]));
}

/** The broker's own default for `timeout_ms` of produce, and what it waits for the acknowledgement of a group's change. */
const ACKNOWLEDGEMENT_WAIT_MS = 30_000;

/** What is answered when the change is acknowledged by all. A heartbeat comes again soon, and so is not waited for. */
const ACKNOWLEDGED_CHANGES: readonly OperationName[] = [
  "join_group",
  "leave_group",
  "commit_offsets",
  "delete_group",
  "delete_offsets",
  "expire_members",
  "expire_offsets",
  "begin_transaction",
  "send_offsets",
  "end_transaction",
  "abort_transaction",
  "expire_transactions",
];

/** How long the broker may hold an answer back because of what the request asks for, in milliseconds. */
export function askedWaitMs(name: OperationName, fields: object): number {
  if ("max_wait_ms" in fields) return waitOf(fields.max_wait_ms, 0);
  const isOfTransactions = name === "init_producer" && "transactional_id" in fields;
  if (isOfTransactions || ACKNOWLEDGED_CHANGES.includes(name)) return ACKNOWLEDGEMENT_WAIT_MS;
  if (name !== "produce" || !("acks" in fields) || (fields.acks !== "all" && fields.acks !== -1)) return 0;
  return waitOf("timeout_ms" in fields ? fields.timeout_ms : undefined, ACKNOWLEDGEMENT_WAIT_MS);
}

/** What is no wait is for the broker to refuse. */
function waitOf(asked: unknown, unsaidMs: number): number {
  if (typeof asked !== "number") return unsaidMs;
  return asked > 0 ? asked : 0;
}
