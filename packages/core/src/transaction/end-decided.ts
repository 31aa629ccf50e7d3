/** What is told of an end that failed: whether it was decided all the same, which nothing takes back. Pure. */
import { BrokerError } from "../errors.ts";
import { quoted } from "../quoted.ts";
import type { ProducerIdentity } from "../replica/producer-identity.ts";
import { endOf, isPrepared, type LastEnd, type Transaction } from "./transaction-state.ts";

/** The end that was asked for, and of which transaction; an operator asks for whichever is open. */
export interface AskedEnd {
  readonly producer: ProducerIdentity;
  readonly commit: boolean;
}

/**
 * `problem`, with which an end failed; with `decided` ("commit" or "abort") among its details when that end is durable: it comes to
 * every partition with the next step, or when it is asked for again.
 */
export function tellingDecision(problem: unknown, durable: Transaction | null, asked?: AskedEnd): unknown {
  if (!(problem instanceof BrokerError) || durable === null) return problem;
  const end = asked === undefined ? presentEnd(durable) : askedEnd(durable, asked);
  if (end === null) return problem;
  const { code, message, details } = problem;
  const decided = end.committed ? "commit" : "abort";
  const told = `the ${decided} of the transaction of ${quoted(durable.transactionalId)} is decided, and could not be completed: ${message}`;
  return new BrokerError(code, told, { ...details, decided }, { cause: problem });
}

function presentEnd(transaction: Transaction): LastEnd | null {
  return isPrepared(transaction) ? transaction.lastEnd : null;
}

function askedEnd(transaction: Transaction, { producer, commit }: AskedEnd): LastEnd | null {
  const end = endOf(transaction, producer);
  return end?.committed === commit && end.cause === "request" ? end : null;
}
