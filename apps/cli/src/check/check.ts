/** The work of `check`: one look at a cluster, judged and printed as a plugin's answer. */
import { isErrorCode } from "@minikafka/protocol/errors";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { failureOf, OutputClosed } from "../failure.ts";
import { type Session, withSession } from "../session.ts";
import { clusterHealth } from "./cluster-health.ts";
import {
  type Bounds,
  type GroupLag,
  type Judged,
  judgeCluster,
  judgeLag,
  judgeTransactions,
  type OpenTransactions,
  unknownOf,
} from "./judgement.ts";
import { type PluginAnswer, pluginDocument, pluginLine, STATUS_EXIT, statusOf } from "./plugin-line.ts";

export interface CheckOptions {
  /** Whose lag is told; `null`: of every group, where that is bounded. */
  readonly groups: readonly string[] | null;
  readonly lag: Bounds;
  readonly transactionAgeMs: Bounds;
}

export async function check(context: Context, options: CheckOptions): Promise<ExitCode> {
  let answer: PluginAnswer = { findings: [], measures: [], fine: "" };
  await withSession(context, async (session) => {
    answer = await look(context, session, options);
    return undefined;
  });
  await printAnswer(context, answer);
  return STATUS_EXIT[statusOf(answer)];
}

/** What a reader that has gone does not read is in the exit code all the same. Throws the stream's error. */
export async function printAnswer(
  { settings, data }: Pick<Context, "data"> & { readonly settings: { readonly json: boolean } },
  answer: PluginAnswer,
): Promise<void> {
  try {
    await (settings.json ? data.json(pluginDocument(answer)) : data.line(pluginLine(answer)));
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
}

async function look(context: Context, session: Session, options: CheckOptions): Promise<PluginAnswer> {
  const began = performance.now();
  const health = await clusterHealth(session);
  const { findings, measures, fine } = judgeCluster(health);
  const others = [
    ...(await judgedLags(context, session, options)),
    await judged("transaction_age", async () => {
      const { transactionAgeMs: bounds } = options;
      if (!isBounded(bounds)) return NOTHING;
      return judgeTransactions(await openTransactions(session, health.nowMs), bounds);
    }),
  ];
  const seconds = Number(((performance.now() - began) / 1_000).toFixed(3));
  return {
    findings: [...findings, ...others.flatMap((each) => each.findings)],
    measures: [
      { label: "time", value: seconds, unit: "s" },
      ...measures,
      ...others.flatMap((each) => each.measures),
    ],
    fine,
  };
}

/** One by one: what is not known of a group hides nothing of the others. */
async function judgedLags(
  context: Context,
  session: Session,
  options: CheckOptions,
): Promise<readonly Judged[]> {
  const names: string[] = [];
  const listed = await judged("lag", async () => {
    names.push(...(await groupsToLookAt(session, options)));
    return NOTHING;
  });
  const ofGroup = async (name: string) => judgeLag([await lagOf(context, session, name)], options.lag);
  return [listed, ...(await Promise.all(names.map((name) => judged("lag", () => ofGroup(name)))))];
}

const NOTHING: Judged = { findings: [], measures: [] };

/** What a coordinator refuses is not known, and hides nothing of what is. */
async function judged(check: string, look: () => Promise<Judged>): Promise<Judged> {
  try {
    return await look();
  } catch (error) {
    const failure = failureOf(error);
    if (!isErrorCode(failure.code)) throw error;
    return { findings: [unknownOf(check, `${failure.code}: ${failure.message}`)], measures: [] };
  }
}

function isBounded({ warning, critical }: Bounds): boolean {
  return warning !== undefined || critical !== undefined;
}

async function groupsToLookAt(session: Session, { groups, lag }: CheckOptions): Promise<readonly string[]> {
  if (groups !== null) return groups;
  if (!isBounded(lag)) return [];
  return (await session.client.admin().listGroups()).map(({ groupId }) => groupId);
}

async function lagOf({ interrupted: signal }: Context, session: Session, group: string): Promise<GroupLag> {
  const partitions = await session.client.admin().groupLag(group, { signal });
  return {
    group,
    lag: partitions.reduce((sum, { lag }) => sum + (lag ?? 0), 0),
    unknown: partitions
      .filter(({ error }) => error !== null)
      .map(({ topic, partition }) => `${topic}:${partition}`),
  };
}

async function openTransactions(session: Session, nowMs: number): Promise<OpenTransactions> {
  const { transactions, unreadable } = await session.call("list_transactions", {});
  const open = transactions.flatMap(({ transactional_id: id, started_ms: startedMs }) =>
    startedMs === null ? [] : [{ id, ageMs: Math.max(0, nowMs - startedMs) }],
  );
  return {
    open: open.sort((left, right) => right.ageMs - left.ageMs),
    unreadable: unreadable.map(({ code, message }) => `${code}: ${message}`),
  };
}
