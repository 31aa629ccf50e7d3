/** What went wrong with a cluster of Kafka's, out of the errors within errors that its client throws. */
import { CliError } from "../failure.ts";

export interface KafkaProblem {
  /** Kafka's name, such as NOT_LEADER_OR_FOLLOWER; `null` where no answer came. */
  readonly error: string | null;
  readonly kind: "answered" | "authentication" | "timeout" | "network" | "unknown";
  /** Nobody listens there, just now: who wants a login, or TLS, takes the connection first. */
  readonly isRefused: boolean;
  /** Whether the same may be asked again. */
  readonly retriable: boolean;
  readonly message: string;
}

/** Answers that come of a change of leaders, or of a broker that starts or stops: the next try may find another state. */
const PASSING = [
  ...["NOT_LEADER_OR_FOLLOWER", "LEADER_NOT_AVAILABLE", "UNKNOWN_LEADER_EPOCH", "FENCED_LEADER_EPOCH"],
  ...["REPLICA_NOT_AVAILABLE", "BROKER_NOT_AVAILABLE", "NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT"],
  ...["NOT_ENOUGH_REPLICAS_AFTER_APPEND", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"],
  ...["NOT_COORDINATOR", "NETWORK_EXCEPTION", "KAFKA_STORAGE_ERROR", "OFFSET_NOT_AVAILABLE"],
];

/** The client throws it without a code. */
const POOL_CLOSED = "Connection pool is closed.";

interface Loose {
  readonly errors?: unknown;
  readonly cause?: unknown;
  readonly code?: unknown;
  readonly apiId?: unknown;
  readonly serverErrorMessage?: unknown;
}

function* within(error: unknown): Generator<Error & Loose> {
  if (!(error instanceof Error)) return;
  yield error;
  const { errors, cause } = error as Loose;
  if (Array.isArray(errors)) for (const each of errors) yield* within(each);
  yield* within(cause);
}

export function problemOf(error: unknown): KafkaProblem {
  const all = [...within(error)];
  const answered = all.find(({ apiId }) => typeof apiId === "string");
  if (answered !== undefined) {
    const name = String(answered.apiId);
    const { serverErrorMessage } = answered;
    const said = typeof serverErrorMessage === "string" ? serverErrorMessage : answered.message;
    const isLogin = name === "SASL_AUTHENTICATION_FAILED" || name === "UNSUPPORTED_SASL_MECHANISM";
    const kind = isLogin ? "authentication" : "answered";
    return { error: name, kind, isRefused: false, retriable: PASSING.includes(name), message: said };
  }
  const message = all.at(-1)?.message ?? String(error);
  const has = (code: string) => all.some((each) => each.code === code);
  const unanswered = { error: null, message, isRefused: has("ECONNREFUSED") };
  if (has("PLT_KFK_AUTHENTICATION")) return { ...unanswered, kind: "authentication", retriable: false };
  if (all.some((each) => /timed out/i.test(each.message)))
    return { ...unanswered, kind: "timeout", retriable: true };
  // Another partition's failure has put a new pool in this one's place between two steps.
  if (all.some((each) => each.message === POOL_CLOSED))
    return { ...unanswered, kind: "network", retriable: true };
  if (has("PLT_KFK_NETWORK") || all.some(({ code }) => /^E[A-Z]+$/.test(String(code))))
    return { ...unanswered, kind: "network", retriable: true };
  return { ...unanswered, kind: "unknown", retriable: false };
}

const LOGIN_HINT = "sasl.mechanism, sasl.username and sasl.password are read from the file of --kafka-config";
const ANSWER_HINTS: { readonly [error: string]: string } = {
  TOPIC_AUTHORIZATION_FAILED: "the cluster's ACLs must let this user describe, read, write and create it",
  GROUP_AUTHORIZATION_FAILED: "the cluster's ACLs must let this user read that group",
  CLUSTER_AUTHORIZATION_FAILED: "the cluster's ACLs must let this user write idempotently (IdempotentWrite)",
  NOT_ENOUGH_REPLICAS:
    "bring brokers of that cluster back, or lower the topic's min.insync.replicas there; then run the same command again",
  KAFKA_STORAGE_ERROR: "a disk of that cluster fails or is full; mend it, then run the same command again",
  INVALID_TIMESTAMP:
    "the topic there takes no times so far from now: raise its message.timestamp.before.max.ms or message.timestamp.after.max.ms",
  MESSAGE_TOO_LARGE: "raise the topic's max.message.bytes there, then run the same command again",
  RECORD_LIST_TOO_LARGE: "raise the topic's segment.bytes there, then run the same command again",
  INVALID_RECORD: "the topic there is compacted, and takes no record without a key",
  POLICY_VIOLATION: "that cluster has a policy for topics; create it there by hand, then use --create no",
  INVALID_REPLICATION_FACTOR: "--replicas names how many copies are wanted",
  INVALID_TOPIC_EXCEPTION:
    "--as NAME copies to a topic of another name; two that differ only by . and _ do not go together there",
  UNKNOWN_TOPIC_OR_PARTITION:
    "has the topic been deleted meanwhile? Run the same command again: it says what is there on either side",
};

const REFUSED = { errno: "ECONNREFUSED" } as const;

/** Whether nobody listened where that failure comes from. */
export function isRefusedFailure({ details }: CliError): boolean {
  return details.errno === REFUSED.errno;
}

/** The failure that is printed: `what`, such as "reading orders [0]", has failed at `where`. */
export function kafkaFailure(error: unknown, what: string, where: string): CliError {
  if (error instanceof CliError) return error;
  const { error: name, kind, message, isRefused } = problemOf(error);
  if (kind === "answered" && name !== null) {
    const code = name === "UNKNOWN_TOPIC_OR_PARTITION" ? "UNKNOWN_TOPIC" : "KAFKA_REFUSED";
    const hint = ANSWER_HINTS[name];
    return new CliError(code, `${what} at ${where} failed: ${name}: ${message}`, {
      details: { kafka_error: name },
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (kind === "authentication")
    return new CliError("CONNECTION", `${where} does not take the login: ${message}`, { hint: LOGIN_HINT });
  if (kind === "timeout" || kind === "network") {
    const hint = `is ${where} up, and are the addresses that its brokers advertise reached from here? Run the same command again to go on`;
    return new CliError(
      kind === "timeout" ? "TIMEOUT" : "CONNECTION",
      `${what} at ${where} failed: ${message}`,
      {
        hint,
        ...(isRefused ? { details: REFUSED } : {}),
      },
    );
  }
  return new CliError("UNEXPECTED", `${what} at ${where} failed: ${message}`);
}
