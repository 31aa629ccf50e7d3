/** A transfer of topics from one cluster to another: planned as a whole, then one topic after the other, then the groups' offsets. */
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { CliError, Interrupted } from "../failure.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { boundsOf } from "../kafka-cluster/offsets.ts";
import { pause } from "../kafka-cluster/pause.ts";
import type { TopicShape } from "../kafka-cluster/topics.ts";
import { carriedGroups } from "./carried-groups.ts";
import { type CarriedOffset, carryOffsets } from "./carry-offsets.ts";
import { beginCopy, copyTo, type TopicCopy } from "./copy-topic.ts";
import { type Ends, withEnds } from "./ends.ts";
import { readOwnState, type StateEnd } from "./own-state.ts";
import { planOf, sourceShape } from "./plan.ts";
import { stateFileName, stateFolder } from "./state-place.ts";
import { takeLock } from "./transfer-lock.ts";
import type { TransferOptions } from "./transfer-options.ts";
import {
  type PlannedTransfer,
  remarkPlan,
  reportCopy,
  reportFollowed,
  reportOffsets,
  reportPlans,
} from "./transfer-report.ts";

const LOOK_AGAIN_MS = 500;

/** `remote` is the side that is not the broker's own. */
export async function transfer(
  context: Context,
  topics: readonly string[],
  options: TransferOptions,
  remote: "source" | "target",
): Promise<ExitCode | undefined> {
  await withEnds(context, options, remote, async (ends) => {
    requireTwo(ends, topics, options);
    const folder = options.state ?? stateFolder(context, ends);
    const locks: (() => Promise<void>)[] = [];
    const copies: TopicCopy[] = [];
    try {
      const planned: PlannedTransfer[] = [];
      // All of them before anything is made on this disk either.
      const shapes: TopicShape[] = [];
      for (const topic of topics) shapes.push(await sourceShape(ends, topic));
      for (const shape of shapes) {
        const { topic } = shape;
        const targetTopic = options.as ?? topic;
        const file = join(folder, stateFileName(topic, targetTopic));
        if (options.dryRun !== true) locks.push(await takeLock(`${file}.lock`));
        const journal = readOwnState(file, endOf(ends.source, topic), endOf(ends.target, targetTopic));
        planned.push({ plan: await planOf(ends, shape, options, journal), file });
      }
      const topicsHere = planned.map(({ plan }) => plan.source);
      const groups = await carriedGroups(ends, options, topicsHere);
      for (const { plan } of planned) remarkPlan(context, ends, plan);
      if (options.dryRun === true) return await reportPlans(context, planned);
      for (const { plan, file } of planned) copies.push(await beginCopy(context, ends, plan, file, options));
      await copyAll(context, ends, copies, { groups, options });
    } finally {
      await Promise.all(copies.map((copy) => copy.close()));
      for (const unlock of locks) await unlock();
    }
  });
  return undefined;
}

function endOf({ clusterId, where }: KafkaLink, topic: string): StateEnd {
  return { cluster_id: clusterId, topic, where };
}

interface Carried {
  readonly groups: readonly string[];
  readonly options: TransferOptions;
}

async function copyAll(
  context: Context,
  ends: Ends,
  copies: readonly TopicCopy[],
  carried: Carried,
): Promise<void> {
  const { follow } = carried.options;
  for (const copy of copies) {
    const planned = copy.plan.bounds.map(({ end }) => end);
    await copy.topics.explained(() => copyTo(copy, planned));
    requireNotInterrupted(context);
    await reportCopy(context, copy);
  }
  await carryAll(context, ends, copies, carried);
  if (follow === true) await followAll(context, ends, copies, carried);
}

async function carryAll(
  context: Context,
  ends: Ends,
  copies: readonly TopicCopy[],
  wanted: Carried,
): Promise<void> {
  const { groups, options } = wanted;
  const carried: CarriedOffset[] = [];
  for (const group of groups)
    for (const copy of copies) {
      requireNotInterrupted(context);
      carried.push(...(await carryOffsets(ends, copy, group, options.force === true)));
    }
  await reportOffsets(context, carried);
  const ahead = new Set(carried.filter(({ outcome }) => outcome === "ahead").map(({ group }) => group));
  for (const group of ahead)
    context.notes.remark(`group ${group} is further than what was copied; run the same command again`);
}

/** Whether there was more than had been copied. */
async function copyMore({ source }: Ends, copy: TopicCopy): Promise<boolean> {
  const { topics, partitions, plan } = copy;
  await topics.requireBoth();
  const { topic } = plan.source;
  const next = await Promise.all(partitions.map(({ partition }) => boundsOf(source, { topic, partition })));
  const isBehind = partitions.some(({ partition, sourceNext }) => sourceNext < (next[partition]?.end ?? 0));
  if (!isBehind) return false;
  await copyTo(
    copy,
    next.map(({ end }) => end),
  );
  return true;
}

/** Until the user stops it: looks for more, and copies it. */
async function followAll(
  context: Context,
  ends: Ends,
  copies: readonly TopicCopy[],
  carried: Carried,
): Promise<void> {
  context.notes.remark("what was there is copied; Ctrl-C ends what follows");
  while (!context.interrupted.aborted) {
    let isMore = false;
    for (const copy of copies) {
      if (!(await copy.topics.explained(() => copyMore(ends, copy)))) continue;
      isMore = true;
      if (!context.interrupted.aborted) await reportFollowed(context, copy);
    }
    if (isMore) await carryAll(context, ends, copies, carried);
    else await pause(LOOK_AGAIN_MS, context.interrupted);
  }
  requireNotInterrupted(context);
}

function requireNotInterrupted({ interrupted, notes }: Context): void {
  if (!interrupted.aborted) return;
  notes.remark("stopped; the same command goes on from here");
  throw new Interrupted("stopped by the user");
}

function requireTwo({ source, target }: Ends, topics: readonly string[], { as }: TransferOptions): void {
  if (source.clusterId !== target.clusterId) return;
  if (as !== undefined && !topics.includes(as)) return;
  throw new CliError("USAGE", `${source.where} and ${target.where} are one cluster, ${source.clusterId}`, {
    hint: "--as NAME copies a topic to another one of the same cluster",
  });
}
