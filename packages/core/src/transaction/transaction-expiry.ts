/**
 * Transactions whose time is over, ends that were decided and not completed, and ids that nobody uses: found by a step, since the
 * kernel has no timer.
 */
import type { Wait } from "../coordinator/give-up.ts";
import type { Clock } from "../env/clock.ts";
import { BrokerError } from "../errors.ts";
import type { Completion } from "./completion.ts";
import type { TransactionConfig } from "./transaction-config.ts";
import type { TransactionParts } from "./transaction-coordinator.ts";
import type { TransactionEvent } from "./transaction-events.ts";
import type { TransactionKeeper } from "./transaction-keeper.ts";
import { isComplete, isPrepared, type Transaction } from "./transaction-state.ts";

/** What one step has done, by transactional id. */
export interface ExpiredTransactions {
  /** Their time was over. */
  readonly aborted: readonly string[];
  /** Their end had been decided before, and is complete now. */
  readonly completed: readonly string[];
  /** Nobody has used them. */
  readonly forgotten: readonly string[];
  /** Could not be ended now; the next step tries again. */
  readonly failed: readonly FailedExpiry[];
}

export interface FailedExpiry {
  readonly transactionalId: string;
  readonly error: BrokerError;
}

type Tended = "aborted" | "completed" | "forgotten" | null;

export interface ExpiryWorld {
  readonly config: Pick<TransactionConfig, "transactionalIdExpirationMs">;
  readonly clock: Clock;
}

/**
 * One that fails stops no other. A partition of the internal topic that nobody leads is passed over; another problem of one is
 * told after all were tried. Kafka: transaction.abort.timed.out.transaction.cleanup.interval.ms (10 s) and
 * transaction.remove.expired.transaction.cleanup.interval.ms.
 */
export async function expireTransactions(
  parts: TransactionParts,
  world: ExpiryWorld,
  wait: Wait = {},
): Promise<ExpiredTransactions> {
  const due = (transaction: Transaction, openForMs: number) =>
    isPrepared(transaction) || expiryEvent(transaction, openForMs, world) !== null;
  const found = await Promise.allSettled(
    parts.changes.topic
      .shards()
      .map((shard) => shard.read(({ transaction: keeper }) => dueIn(keeper, due), wait)),
  );
  const transactions = found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const tended = await Promise.allSettled(
    transactions.map(({ transactionalId }) => tend(parts, transactionalId, world, wait)),
  );
  const problem = found.map(newsOf).find((news) => news !== null);
  if (problem !== undefined) throw problem;
  const idsThat = (what: Tended) =>
    transactions.flatMap(({ transactionalId }, index) => {
      const result = tended[index];
      return result?.status === "fulfilled" && result.value === what ? [transactionalId] : [];
    });
  const failed = transactions.flatMap(({ transactionalId }, index): FailedExpiry[] => {
    const result = tended[index];
    if (result?.status !== "rejected") return [];
    if (!(result.reason instanceof BrokerError)) throw result.reason;
    return [{ transactionalId, error: result.reason }];
  });
  return {
    aborted: idsThat("aborted"),
    completed: idsThat("completed"),
    forgotten: idsThat("forgotten"),
    failed,
  };
}

function dueIn(
  keeper: TransactionKeeper,
  due: (transaction: Transaction, openForMs: number) => boolean,
): Transaction[] {
  return [...keeper.allCurrent()].filter((each) => due(each, keeper.openForMs(each.transactionalId)));
}

async function tend(
  { changes, completion, turns }: TransactionParts,
  transactionalId: string,
  world: ExpiryWorld,
  wait: Wait,
): Promise<Tended> {
  // What was due when it was looked for may have been used since.
  const { event, before, after } = await turns.alone(
    transactionalId,
    () => {
      const openForMs = () =>
        changes.topic.loaded(transactionalId)?.transaction.openForMs(transactionalId) ?? 0;
      return changes.act(
        transactionalId,
        (transaction) => expiryEvent(transaction, openForMs(), world),
        wait,
      );
    },
    wait,
  );
  if (isPrepared(after)) await completion.complete(transactionalId, wait);
  if (event?.kind === "forget") return "forgotten";
  if (event?.kind === "prepare") return "aborted";
  return isPrepared(before) ? "completed" : null;
}

/** What the step would do with those in memory. One whose end is being completed it would only wait for. */
export function foretoldExpiry(
  keeper: TransactionKeeper,
  completion: Pick<Completion, "isRunning">,
  world: ExpiryWorld,
): Omit<ExpiredTransactions, "failed"> {
  const [aborted, completed, forgotten]: [string[], string[], string[]] = [[], [], []];
  for (const transaction of keeper.allCurrent()) {
    const { transactionalId } = transaction;
    const event = expiryEvent(transaction, keeper.openForMs(transactionalId), world);
    if (event?.kind === "prepare") aborted.push(transactionalId);
    else if (event?.kind === "forget") forgotten.push(transactionalId);
    else if (isPrepared(transaction) && !completion.isRunning(transactionalId))
      completed.push(transactionalId);
  }
  return { aborted, completed, forgotten };
}

export interface TransactionDeadline {
  readonly transactionalId: string;
  readonly what: "transaction_timeout" | "transactional_id_expiration";
  readonly dueMs: number;
}

/** When time alone will have the step do something. */
export function expiryTimes(
  keeper: TransactionKeeper,
  { clock, config }: ExpiryWorld,
): TransactionDeadline[] {
  const nowMs = clock.nowMs();
  return [...keeper.allCurrent()].flatMap((transaction): TransactionDeadline[] => {
    const { transactionalId, state, startedMs, timeoutMs, updatedMs } = transaction;
    if (state === "ongoing" && startedMs !== null) {
      const sinceMs = Math.min(startedMs, nowMs - keeper.openForMs(transactionalId));
      return [{ transactionalId, what: "transaction_timeout", dueMs: sinceMs + timeoutMs + 1 }];
    }
    if (state !== "empty" && !isComplete(transaction)) return [];
    const dueMs = updatedMs + config.transactionalIdExpirationMs;
    return [{ transactionalId, what: "transactional_id_expiration", dueMs }];
  });
}

/**
 * By the wall clock, as in Kafka: the time of a transaction goes on while no broker runs. Or by the monotonic one, as long as this
 * process knows of it: a time of day that was set back leaves no transaction open for ever.
 */
function expiryEvent(
  transaction: Transaction,
  openForMs: number,
  { clock, config }: ExpiryWorld,
): TransactionEvent | null {
  const { state, startedMs, timeoutMs, updatedMs } = transaction;
  const nowMs = clock.nowMs();
  const ageMs = startedMs === null ? 0 : Math.max(nowMs - startedMs, openForMs);
  if (state === "ongoing" && ageMs > timeoutMs) return { kind: "prepare", commit: false, cause: "timeout" };
  const isUnused = state === "empty" || isComplete(transaction);
  return isUnused && nowMs - updatedMs >= config.transactionalIdExpirationMs ? { kind: "forget" } : null;
}

/** `null` for what is no news: nobody leads the partition. */
function newsOf(result: PromiseSettledResult<unknown>): unknown {
  if (result.status === "fulfilled") return null;
  const { reason } = result;
  return reason instanceof BrokerError && reason.code === "LEADER_NOT_AVAILABLE" ? null : reason;
}
