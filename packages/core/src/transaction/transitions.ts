/**
 * What happens to a transactional id, as a table of every state and every event (KIP-98, KIP-890). Pure: a rule returns the value
 * after the event, or throws the BrokerError that refuses it.
 *
 *                  dead     empty          ongoing        prepare_*     complete_*
 *   init           empty    empty          -              -             empty
 *   begin          UNKNOWN  ongoing        INVALID        CONCURRENT    ongoing
 *   add_partition  UNKNOWN  INVALID        ongoing        CONCURRENT    INVALID
 *   prepare        UNKNOWN  INVALID        prepare_*      CONCURRENT    INVALID
 *   complete       -        -              -              complete_*    -
 *   forget         -        dead           -              -             dead
 *
 * UNKNOWN is UNKNOWN_TRANSACTIONAL_ID, INVALID is INVALID_TRANSACTION_STATE, CONCURRENT is CONCURRENT_TRANSACTIONS. `-`: cannot
 * happen; whoever sends it has not looked. Of prepare_* and complete_* each has one for commit and one for abort, and complete
 * leads from one to its own.
 */
import { assert } from "../assert.ts";
import { LIMITS } from "../limits.ts";
import { identityOf, nextEpoch, type ProducerIdentity } from "../replica/producer-identity.ts";
import { partitionName } from "../replica/topic-partition.ts";
import type { TransactionEvent, TransactionEventKind, TransitionWorld } from "./transaction-events.ts";
import {
  invalidState,
  stillCompleting,
  tooManyPartitions,
  unknownTransactionalId,
} from "./transaction-refusals.ts";
import {
  GIVEN_EPOCH_MAX,
  NO_PARTITIONS,
  newTransaction,
  type Transaction,
  type TransactionState,
} from "./transaction-state.ts";

type EventOf<Kind extends TransactionEventKind> = Extract<TransactionEvent, { readonly kind: Kind }>;
type Rule<Kind extends TransactionEventKind> = (
  transaction: Transaction,
  event: EventOf<Kind>,
  world: TransitionWorld,
) => Transaction;
type Row = { readonly [Kind in TransactionEventKind]: Rule<Kind> | null };

const refuseUnknown = ({ transactionalId }: Transaction): never => {
  throw unknownTransactionalId(transactionalId);
};
const refuseInvalid = (transaction: Transaction, event: TransactionEvent): never => {
  throw invalidState(transaction, ACTS[event.kind]);
};
const refuseConcurrent = (transaction: Transaction): never => {
  throw stillCompleting(transaction);
};

const ACTS: { readonly [Kind in TransactionEventKind]: string } = {
  init: "init",
  begin: "begin",
  add_partition: "write",
  prepare: "end",
  complete: "complete",
  forget: "forget",
};

const PREPARED: Row = {
  init: null,
  begin: refuseConcurrent,
  add_partition: refuseConcurrent,
  prepare: refuseConcurrent,
  complete,
  forget: null,
};
const AT_REST: Row = {
  init,
  begin,
  add_partition: refuseInvalid,
  prepare: refuseInvalid,
  complete: null,
  forget,
};

export const TRANSITIONS: { readonly [State in TransactionState]: Row } = {
  dead: {
    init,
    begin: refuseUnknown,
    add_partition: refuseUnknown,
    prepare: refuseUnknown,
    complete: null,
    forget: null,
  },
  empty: AT_REST,
  ongoing: {
    init: null,
    begin: refuseInvalid,
    add_partition: addPartition,
    prepare,
    complete: null,
    forget: null,
  },
  prepare_commit: PREPARED,
  prepare_abort: PREPARED,
  complete_commit: AT_REST,
  complete_abort: AT_REST,
};

/** The transactional id after `event`. */
export function after<Kind extends TransactionEventKind>(
  transaction: Transaction,
  event: EventOf<Kind> & { readonly kind: Kind },
  world: TransitionWorld,
): Transaction {
  const rule: Rule<Kind> | null = TRANSITIONS[transaction.state][event.kind];
  assert(rule !== null, `a transaction that is ${transaction.state} cannot take ${event.kind}`);
  return rule(transaction, event, world);
}

function init(transaction: Transaction, event: EventOf<"init">, world: TransitionWorld): Transaction {
  const { timeoutMs, current } = event;
  const isNew = transaction.state === "dead";
  const identity = isNew
    ? { producerId: world.newProducerId(), producerEpoch: 0 }
    : raised(transaction, world);
  const previous = isNew || current === null ? null : identityOf(transaction);
  return { ...transaction, state: "empty", ...identity, previous, timeoutMs, updatedMs: world.nowMs };
}

function begin(transaction: Transaction, _event: unknown, { nowMs }: TransitionWorld): Transaction {
  return { ...transaction, state: "ongoing", startedMs: nowMs, updatedMs: nowMs };
}

function addPartition(
  transaction: Transaction,
  { partition }: EventOf<"add_partition">,
  { nowMs }: TransitionWorld,
): Transaction {
  const partitions = new Map(transaction.partitions).set(partitionName(partition), partition);
  if (partitions.size > LIMITS.partitionsPerTransactionMax) throw tooManyPartitions(transaction);
  return { ...transaction, partitions, updatedMs: nowMs };
}

/**
 * The epoch rises here, and the markers carry the raised one: nothing late of the transaction is taken behind them. A producer that keeps
 * its epoch has no such protection.
 */
function prepare(transaction: Transaction, event: EventOf<"prepare">, world: TransitionWorld): Transaction {
  const { commit, cause, keepsEpoch = false } = event;
  const { nowMs } = world;
  const producer = identityOf(transaction);
  return {
    ...transaction,
    state: commit ? "prepare_commit" : "prepare_abort",
    ...(keepsEpoch ? producer : raised(transaction, world)),
    // Who was fenced is told so: what comes next belongs to the new instance.
    previous: cause === "fenced" || keepsEpoch ? null : producer,
    markerProducer: keepsEpoch ? producer : nextEpoch(producer),
    updatedMs: nowMs,
    lastEnd: {
      ...{ producer, committed: commit, cause, endedMs: nowMs },
      committedIn: commit ? transaction.partitions : NO_PARTITIONS,
    },
  };
}

function complete(transaction: Transaction, _event: unknown, { nowMs }: TransitionWorld): Transaction {
  return {
    ...transaction,
    state: transaction.state === "prepare_commit" ? "complete_commit" : "complete_abort",
    markerProducer: null,
    partitions: NO_PARTITIONS,
    startedMs: null,
    updatedMs: nowMs,
  };
}

function forget({ transactionalId }: Transaction): Transaction {
  return newTransaction(transactionalId);
}

/** The identity after this one: its next epoch, or another id when the epochs of this are used up. */
function raised(identity: ProducerIdentity, { newProducerId }: TransitionWorld): ProducerIdentity {
  if (identity.producerEpoch < GIVEN_EPOCH_MAX) return nextEpoch(identity);
  return { producerId: newProducerId(), producerEpoch: 0 };
}
