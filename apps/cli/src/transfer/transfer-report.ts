/** What a transfer says on stdout: tables for people, lines of JSON for programs. */
import type { Context } from "../context.ts";
import { renderTable } from "../output/table.ts";
import type { CarriedOffset } from "./carry-offsets.ts";
import type { TopicCopy } from "./copy-topic.ts";
import type { Ends } from "./ends.ts";
import type { TopicPlan } from "./plan.ts";
import { sizeText } from "./size-text.ts";

export interface PlannedTransfer {
  readonly plan: TopicPlan;
  /** Where its state is kept. */
  readonly file: string;
}

/** What would be done; `left` counts offsets, of which some may have no record. */
export async function reportPlans(context: Context, planned: readonly PlannedTransfer[]): Promise<void> {
  const { settings, data } = context;
  if (settings.json) {
    for (const { plan, file } of planned) await data.json({ event: "plan", ...planFields(plan, file) });
    return;
  }
  const rows = planned.map(({ plan, file }) => {
    const { topic, target_topic, partitions, target, offsets, begun } = planFields(plan, file);
    return [topic, target_topic, partitions, target, offsets, begun ? "goes on" : "begins", file];
  });
  await data.write(renderTable(["TOPIC", "COPY", "PARTITIONS", "TARGET", "OFFSETS", "STATE", "FILE"], rows));
}

function planFields(plan: TopicPlan, file: string) {
  return {
    topic: plan.source.topic,
    target_topic: plan.targetTopic,
    partitions: plan.source.partitions,
    target: plan.target === null ? "is created" : "is there",
    settings: plan.wanted.settings.map(({ name, value }) => `${name}=${value}`),
    left_out: plan.leftOut.map(({ name, value, why }) => ({ name, value, why })),
    offsets: plan.bounds.reduce((sum, { start, end }) => sum + end - start, 0),
    begun: plan.journal !== null,
    state: file,
  };
}

/** For a person, what is not copied as it is here. */
export function remarkPlan({ notes }: Context, { source, target }: Ends, plan: TopicPlan): void {
  const { topic } = plan.source;
  for (const { name, value, why } of plan.leftOut)
    notes.remark(`${topic}: ${name}=${value} is left out at ${target.where}: ${why}`);
  const open = plan.bounds.reduce((sum, { end, highWatermark }) => sum + highWatermark - end, 0);
  if (open > 0)
    notes.remark(
      `${topic}: ${open} offsets from the first open transaction on wait for its end at ${source.where}; run the same command again then`,
    );
}

export async function reportCopy(context: Context, { plan, partitions, progress }: TopicCopy): Promise<void> {
  const { settings, data, notes } = context;
  const done = partitions.map(({ partition, records, sourceNext, targetNext }) => ({
    partition,
    records,
    source_offset: sourceNext,
    target_offset: targetNext,
  }));
  const { topic } = plan.source;
  const { records, bytes, durationMs } = progress;
  if (settings.json) {
    const sum = { records, bytes, duration_ms: Math.round(durationMs) };
    await data.json({ event: "copied", topic, target_topic: plan.targetTopic, ...sum, partitions: done });
    return;
  }
  const rows = done.map((each) => [plan.targetTopic, ...Object.values(each)]);
  await data.write(renderTable(["TOPIC", "PARTITION", "RECORDS", "SOURCE-OFFSET", "TARGET-OFFSET"], rows));
  const rate = sizeText(bytes / Math.max(0.001, durationMs / 1_000));
  notes.remark(`${topic}: ${records} records, ${sizeText(bytes)}, at ${rate}/s`);
}

/** After each look at what has come: for a person a line that the next one takes the place of. */
export async function reportFollowed(context: Context, copy: TopicCopy): Promise<void> {
  if (context.settings.json) await reportCopy(context, copy);
  else context.notes.progress(`${copy.plan.source.topic}: ${copy.progress.records} records so far`);
}

export async function reportOffsets(context: Context, carried: readonly CarriedOffset[]): Promise<void> {
  const { settings, data } = context;
  const fields = carried.map(({ group, topic, partition, sourceOffset, targetOffset, outcome }) => ({
    group_id: group,
    topic,
    partition,
    source_offset: sourceOffset,
    target_offset: targetOffset,
    outcome,
  }));
  if (settings.json) {
    for (const each of fields) await data.json({ event: "offset", ...each });
    return;
  }
  const headers = ["GROUP", "TOPIC", "PARTITION", "SOURCE-OFFSET", "TARGET-OFFSET", "OFFSET"];
  await data.write(
    renderTable(
      headers,
      fields.map((each) => Object.values(each)),
    ),
  );
}
