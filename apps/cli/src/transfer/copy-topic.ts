/** Copies one topic: makes it there, goes on where an earlier run stopped, and copies a few partitions at a time. */
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import type { KafkaLink } from "../kafka-cluster/kafka-link.ts";
import { boundsOf, endOf } from "../kafka-cluster/offsets.ts";
import { batchAt, newProducer } from "../kafka-cluster/records.ts";
import { createTopic, type TopicShape } from "../kafka-cluster/topics.ts";
import { PartitionCopy } from "./copy-partition.ts";
import type { Ends } from "./ends.ts";
import { type Journal, JournalFile } from "./journal.ts";
import { JOURNAL_VERSION, type JournalLine, type SentBatch } from "./journal-form.ts";
import type { TopicPlan } from "./plan.ts";
import { type FoundBatch, journaled, type Resumption, requireOwn, resumption } from "./resumption.ts";
import { SameTopics } from "./same-topics.ts";
import { targetEnd } from "./span.ts";
import type { TransferOptions } from "./transfer-options.ts";
import { TransferProgress } from "./transfer-progress.ts";

/** How many partitions are copied at once: each holds two reads of about a megabyte. */
const PARTITIONS_AT_ONCE = 4;
/** What stands below a log's end comes at once; what does not come in so many reads was compacted away. */
const READS_MAX = 3;
const READ_WAIT_MS = 500;

export interface TopicCopy {
  readonly plan: TopicPlan;
  readonly partitions: readonly PartitionCopy[];
  readonly progress: TransferProgress;
  readonly topics: SameTopics;
  close(): Promise<void>;
}

/** Makes the copy ready to be gone on with. Throws COPY_DIFFERS where what is there is not what this transfer wrote. */
export async function beginCopy(
  context: Context,
  ends: Ends,
  plan: TopicPlan,
  file: string,
  options: TransferOptions,
): Promise<TopicCopy> {
  const { source, target } = ends;
  const shape = plan.target ?? (await createTopic(target, plan.wanted));
  const begun = await standings(ends, plan, options);
  const journal = await JournalFile.begin(file, {
    head: headOf(ends, plan, shape),
    lines: begun.flatMap(({ targetStart, resumed }, partition) => linesOf(partition, targetStart, resumed)),
  });
  try {
    const passed = begun.map(({ resumed }) => resumed.spans.at(-1)?.sourceEnd ?? 0);
    const left = plan.bounds.map(
      ({ start, end }, partition) => end - Math.max(start, passed[partition] ?? 0),
    );
    const sum = left.reduce((all, each) => all + Math.max(0, each), 0);
    const progress = new TransferProgress(context, plan.source.topic, sum);
    const topics = new SameTopics(
      { link: source, shape: plan.source },
      { link: target, shape },
      context.interrupted,
    );
    const world = {
      ...{ source, target, journal, topics },
      sourceTopic: plan.source.topic,
      targetTopic: plan.targetTopic,
      producer: await newProducer(target),
      compression: options.compression,
      interrupted: context.interrupted,
      onCopied: progress.add.bind(progress),
      remark: context.notes.remark.bind(context.notes),
    };
    const partitions = begun.map(({ targetStart, resumed }, partition) => {
      const missing = resumed.kind === "missing" ? resumed.batch : null;
      const sourceStart = plan.bounds[partition]?.start ?? 0;
      const { spans } = resumed;
      return new PartitionCopy(world, partition, { sourceStart, targetStart, spans, missing });
    });
    return { plan, partitions, progress, topics, close: () => journal.close() };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

interface Copied {
  readonly partitions: readonly Pick<PartitionCopy, "partition" | "copyTo">[];
  readonly progress: Pick<TransferProgress, "end">;
}

/** Copies up to `ends`, by partition. A failure stops the others at their next batch; it rejects with the first, once none is on its way any more. */
export async function copyTo({ partitions, progress }: Copied, ends: readonly number[]): Promise<void> {
  const waiting = [...partitions];
  const failures: unknown[] = [];
  const failed = new AbortController();
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined && !failed.signal.aborted; each = waiting.shift())
      await each.copyTo(ends[each.partition] ?? 0, failed.signal).catch((error: unknown) => {
        failures.push(error);
        failed.abort();
      });
  };
  try {
    await Promise.all(Array.from({ length: Math.min(PARTITIONS_AT_ONCE, partitions.length) }, work));
  } finally {
    progress.end();
  }
  if (failures.length > 0) throw failures[0];
}

interface Standing {
  readonly targetStart: number;
  readonly resumed: Resumption;
}

async function standings({ target }: Ends, plan: TopicPlan, options: TransferOptions): Promise<Standing[]> {
  const found: Standing[] = [];
  for (let partition = 0; partition < plan.source.partitions; partition += 1) {
    const where = `${plan.targetTopic} [${partition}] at ${target.where}`;
    const end = await endOf(target, { topic: plan.targetTopic, partition });
    const before = plan.journal === null ? null : journaled(plan.journal.lines, partition);
    if (before !== null) {
      const resumed = resumption(where, before, end);
      if (resumed.kind === "arrived" && resumed.unproven !== null)
        await requireArrived(target, plan.targetTopic, where, resumed.unproven);
      found.push({ targetStart: before.targetStart, resumed });
      continue;
    }
    if (end > 0 && options.append !== true) throw notEmpty(where, end);
    found.push({ targetStart: end, resumed: { kind: "arrived", spans: [], unproven: null } });
  }
  return found;
}

/** What stands where the last batch would be is read, since anybody's records would make the log as long. */
async function requireArrived(
  target: KafkaLink,
  topic: string,
  where: string,
  sent: SentBatch,
): Promise<void> {
  const place = { topic, partition: sent.partition };
  const { start } = await boundsOf(target, place);
  const offset = Math.max(sent.target, start);
  if (offset >= targetEnd(sent)) return;
  let found: FoundBatch | null = null;
  for (let read = 0; found === null && read < READS_MAX; read += 1)
    found = await batchAt(target, place, offset, READ_WAIT_MS);
  requireOwn(where, sent, found);
}

function notEmpty(where: string, end: number): CliError {
  const message = `${where} is not empty: it ends at ${end}, and nothing is known of an earlier run of this transfer`;
  return new CliError("COPY_DIFFERS", message, {
    hint: "--as NAME copies to another topic, --append puts the copy behind what is there, --state names the folder of an earlier run",
  });
}

function headOf({ source, target }: Ends, plan: TopicPlan, shape: TopicShape): Journal["head"] {
  const of = (cluster: string, { topic, topicId }: TopicShape) => {
    return { cluster_id: cluster, topic, topic_id: topicId };
  };
  return {
    minikafka_transfer: JOURNAL_VERSION,
    source: of(source.clusterId, plan.source),
    target: of(target.clusterId, shape),
  };
}

function linesOf(partition: number, targetStart: number, resumed: Resumption): JournalLine[] {
  const started: JournalLine = { kind: "started", partition, targetStart, spans: resumed.spans };
  return resumed.kind === "missing" ? [started, { kind: "sent", ...resumed.batch }] : [started];
}
