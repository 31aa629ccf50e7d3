/** From what a cluster is to what is wrong with it, and how much. */
import { counted } from "../log/sizes-text.ts";
import { durationText } from "../output/time.ts";
import type { ClusterHealth, PartitionHealth } from "./cluster-health.ts";
import type { Finding, Measure, PluginAnswer } from "./plugin-line.ts";

/** Above them it is a warning, or critical. */
export interface Bounds {
  readonly warning?: number | undefined;
  readonly critical?: number | undefined;
}

export interface GroupLag {
  readonly group: string;
  /** Over all partitions that it has committed. */
  readonly lag: number;
  /** Of which nobody can tell it now. */
  readonly unknown: readonly string[];
}

export interface OpenTransactions {
  /** The longest open first. */
  readonly open: readonly { readonly id: string; readonly ageMs: number }[];
  /** Why some of them are not known; empty where all are. */
  readonly unreadable: readonly string[];
}

export type Judged = Omit<PluginAnswer, "fine">;

/** Names that fit in one line. */
const NAMED_MAX = 3;

function named(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

export function judgeCluster({ brokers, partitions }: ClusterHealth): PluginAnswer {
  const inState = (state: string) =>
    brokers.filter((broker) => broker.state === state).map(({ broker_id }) => String(broker_id));
  const places = (which: (partition: PartitionHealth) => boolean) =>
    partitions.filter(which).map(({ topic, partition }) => `${topic}:${partition}`);
  const failed = inState("failed");
  const stopped = inState("stopped");
  const running = inState("running").length;
  const leaderless = places(({ hasLeader }) => !hasLeader);
  const underMin = places(({ hasLeader, inSync, minInSync }) => hasLeader && inSync < minInSync);
  const under = places(({ inSync, replicas }) => inSync < replicas);
  // Those of a broker that does not run are told by that.
  const offline = partitions.flatMap(({ topic, partition, offline: copies }) =>
    copies
      .filter(({ brokerId }) => !stopped.includes(String(brokerId)))
      .map(({ brokerId, problem }) => `${topic}:${partition} on broker ${brokerId}: ${problem}`),
  );
  const findings = [
    found("CRITICAL", "failed_brokers", failed, "broker has failed", "brokers have failed"),
    found(
      "CRITICAL",
      "leaderless_partitions",
      leaderless,
      "partition has no leader",
      "partitions have no leader",
    ),
    found(
      "CRITICAL",
      "under_min_isr_partitions",
      underMin,
      "partition has fewer replicas in sync than min_insync_replicas",
      "partitions have fewer replicas in sync than min_insync_replicas",
    ),
    found("CRITICAL", "offline_replicas", offline, "replica cannot be read", "replicas cannot be read"),
    found("WARNING", "stopped_brokers", stopped, "broker is stopped", "brokers are stopped"),
    found(
      "WARNING",
      "under_replicated_partitions",
      under,
      "partition is under-replicated",
      "partitions are under-replicated",
    ),
  ].flat();
  const counts = { brokers_running: running, partitions: partitions.length };
  const wrong = {
    ...{ failed_brokers: failed.length, stopped_brokers: stopped.length },
    ...{ leaderless_partitions: leaderless.length, under_min_isr_partitions: underMin.length },
    ...{ offline_replicas: offline.length, under_replicated_partitions: under.length },
  };
  const measures = Object.entries({ ...counts, ...wrong }).map(([label, value]) => ({ label, value }));
  const fine =
    `${counted(running, "broker runs", "brokers run")}, ` +
    `${counted(partitions.length, "partition has a leader", "partitions have a leader")} and every replica in sync`;
  return { findings, measures, fine };
}

function found(
  status: Finding["status"],
  check: string,
  names: readonly string[],
  one: string,
  many: string,
): Finding[] {
  if (names.length === 0) return [];
  return [{ status, check, message: `${counted(names.length, one, many)} (${named(names)})` }];
}

export function judgeLag(groups: readonly GroupLag[], bounds: Bounds): Judged {
  const measures = groups.map(
    ({ group, lag }): Measure => ({ label: `lag ${group}`, value: lag, ...bounds }),
  );
  const findings = groups.flatMap(({ group, lag, unknown }) => [
    ...above(lag, bounds, (bound) => ({
      check: "lag",
      message: `the group ${group} is ${counted(lag, "record")} behind, more than ${bound}`,
    })),
    ...(unknown.length === 0
      ? []
      : [unknownOf("lag", `how far the group ${group} is behind in ${named(unknown)} is not known`)]),
  ]);
  return { findings, measures };
}

export function judgeTransactions({ open, unreadable }: OpenTransactions, bounds: Bounds): Judged {
  const oldestMs = open[0]?.ageMs ?? 0;
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1_000);
  const measures: Measure[] = [
    { label: "open_transactions", value: open.length },
    {
      label: "oldest_transaction",
      value: oldestMs / 1_000,
      unit: "s",
      ...{ warning: seconds(bounds.warning), critical: seconds(bounds.critical) },
    },
  ];
  const findings = above(oldestMs, bounds, (bound) => {
    const late = open
      .filter(({ ageMs }) => ageMs > bound)
      .map(({ id, ageMs }) => `${id} for ${durationText(ageMs)}`);
    const many = counted(late.length, "transaction is open", "transactions are open");
    return {
      check: "transaction_age",
      message: `${many} for more than ${durationText(bound)} (${named(late)})`,
    };
  });
  const partly = unreadable.map((problem) =>
    unknownOf("transaction_age", `some transactions are not known: ${problem}`),
  );
  return { findings: [...findings, ...partly], measures };
}

export function unknownOf(check: string, message: string): Finding {
  return { status: "UNKNOWN", check, message };
}

function above(
  value: number,
  { warning, critical }: Bounds,
  say: (bound: number) => Omit<Finding, "status">,
): Finding[] {
  if (critical !== undefined && value > critical) return [{ status: "CRITICAL", ...say(critical) }];
  if (warning !== undefined && value > warning) return [{ status: "WARNING", ...say(warning) }];
  return [];
}
