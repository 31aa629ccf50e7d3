/** The steps that auto mode takes by itself, and how often. */
import { BrokerError, type FailedExpiry, type ResolvedConfig } from "@minikafka/core";
import type { Settings } from "./config.ts";
import type { Deadlines } from "./deadlines.ts";
import { aTurnForOthers, type TickedStep } from "./ticker.ts";
import { passWithin } from "./time-limit.ts";

type Intervals = Pick<
  Settings,
  "flush" | "flush_interval_ms" | "retention_interval_ms" | "compaction_interval_ms" | "freeze_groups"
> &
  Pick<ResolvedConfig, "replicaLagTimeMs">;

/** The steps of a cluster, as its ticker sees them. */
export interface SteppedCluster {
  readonly steps: {
    flushLogs(): Promise<unknown>;
    applyRetention(): Promise<unknown>;
    compact(pause: () => Promise<void>): Promise<unknown>;
    expireProducers(): unknown;
    retryBehind(): unknown;
    refreshIsr(): unknown;
  };
  readonly groups: { expireMembers(wait: Wait): Promise<unknown>; expireOffsets(): Promise<unknown> };
  readonly transactions: { expire(wait: Wait): Promise<{ readonly failed: readonly FailedExpiry[] }> };
}

interface Wait {
  readonly giveUp: AbortSignal;
}

/** Kafka: producer.id.expiration.check.interval.ms. */
const EXPIRE_PRODUCERS_MS = 10 * 60 * 1000;
/** Kafka: replica.fetch.backoff.ms is 1 s; a follower waits at its leader for replica.fetch.wait.max.ms, 500 ms. */
const RETRY_BEHIND_MS = 500;
/** Kafka: a timer for each member. A session is over so much later at most. */
const EXPIRE_MEMBERS_MS = 250;
/** Kafka: transaction.abort.timed.out.transaction.cleanup.interval.ms is 10 s. A transaction is over so much later at most. */
const EXPIRE_TRANSACTIONS_MS = 1_000;
/** So long at most a group or a transaction whose followers or disk do not answer keeps the others waiting for the next tick. */
const PASS_MS = 5_000;
/** Kafka: offsets.retention.check.interval.ms. */
const EXPIRE_OFFSETS_MS = 10 * 60 * 1000;

/** With flush "os" nobody asks the disk but a roll and a close, as in Kafka. Replication itself follows what makes it due. */
export function tickedSteps(
  { steps, groups, transactions }: SteppedCluster,
  intervals: Intervals,
  deadlines: Deadlines,
): TickedStep[] {
  const flush = {
    name: "flush_logs",
    everyMs: intervals.flush_interval_ms,
    take: () => steps.flushLogs(),
  };
  const retry = { name: "replicate_once", everyMs: RETRY_BEHIND_MS, take: async () => steps.retryBehind() };
  // Kafka checks twice within replica.lag.time.max.ms.
  const refresh = {
    name: "refresh_isr",
    everyMs: Math.max(1, Math.floor(intervals.replicaLagTimeMs / 2)),
    take: async () => steps.refreshIsr(),
  };
  // Kafka: log.retention.check.interval.ms.
  const retention = {
    name: "apply_retention",
    everyMs: intervals.retention_interval_ms,
    take: () => steps.applyRetention(),
  };
  // Kafka: log.cleaner.backoff.ms.
  const compact = {
    name: "compact",
    everyMs: intervals.compaction_interval_ms,
    take: () => steps.compact(aTurnForOthers),
  };
  const expire = {
    name: "expire_producers",
    everyMs: EXPIRE_PRODUCERS_MS,
    take: async () => void steps.expireProducers(),
  };
  const members = {
    name: "expire_members",
    everyMs: EXPIRE_MEMBERS_MS,
    take: () =>
      passWithin(PASS_MS, deadlines, { request: "expire_members" }, (giveUp) =>
        groups.expireMembers({ giveUp }),
      ),
  };
  const offsets = { name: "expire_offsets", everyMs: EXPIRE_OFFSETS_MS, take: () => groups.expireOffsets() };
  const ended = {
    name: "expire_transactions",
    everyMs: EXPIRE_TRANSACTIONS_MS,
    take: () => expireTransactions(transactions, deadlines),
  };
  const all: TickedStep[] = [
    ...(intervals.flush === "os" ? [] : [flush]),
    ...[retention, compact, expire, retry, refresh],
    ...(intervals.freeze_groups ? [] : [members]),
    offsets,
    ended,
  ];
  return all.map((step) => ({ ...step, take: toldOnce(() => step.take()) }));
}

/** One that could not be ended is tried again at the next tick, and told like any other trouble. */
async function expireTransactions(
  transactions: SteppedCluster["transactions"],
  deadlines: Deadlines,
): Promise<void> {
  const { failed } = await passWithin(PASS_MS, deadlines, { request: "expire_transactions" }, (giveUp) =>
    transactions.expire({ giveUp }),
  );
  const [first] = failed;
  if (first === undefined) return;
  const { code, message, details } = first.error;
  throw new BrokerError(
    code,
    `the transaction of ${first.transactionalId} could not be ended: ${message}`,
    details,
  );
}

/** Of one trouble a step tells once, however often it comes, until that is over or is another. */
function toldOnce(take: () => Promise<unknown>): () => Promise<void> {
  let told: string | null = null;
  return async () => {
    try {
      await take();
      told = null;
    } catch (problem) {
      const said = String(problem);
      if (said === told) return;
      told = said;
      throw problem;
    }
  };
}
