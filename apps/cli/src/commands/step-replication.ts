/** `step replicate` and `step isr`: replication, one round and one judgement at a time. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { withSession } from "../session.ts";

interface StepOptions {
  readonly partition?: number;
  readonly replica?: number;
}

/** Returns the commands, for their shared options. */
export function declareReplicationSteps(step: Command, perform: Perform): Command[] {
  const replicate = step
    .command("replicate")
    .summary("take one follower-fetch round")
    .description("One follower-fetch round of every follower, or of those that are named.")
    .argument("[topic]", "one topic")
    .option("-p, --partition <n>", "one partition of the topic", wholeNumber(0))
    .option("--replica <id>", "the followers on one broker", wholeNumber(0))
    .action((topic: string | undefined, options: StepOptions, self: Command) =>
      perform(self, (context) => replicateOnce(context, topic, options), topic),
    );
  const isr = step
    .command("isr")
    .summary("judge who is in sync")
    .description("Judges who is in sync: who lags for too long leaves, who has caught up joins.")
    .argument("[topic]", "one topic")
    .option("-p, --partition <n>", "one partition of the topic", wholeNumber(0))
    .action((topic: string | undefined, options: StepOptions, self: Command) =>
      perform(self, (context) => refreshIsr(context, topic, options), topic),
    );
  return [replicate, isr];
}

function fieldsOf(topic: string | undefined, { partition, replica }: StepOptions) {
  if (topic === undefined && partition !== undefined) throw new CliError("USAGE", "-p needs a topic");
  return {
    ...(topic === undefined ? {} : { topic }),
    ...(partition === undefined ? {} : { partition }),
    ...(replica === undefined ? {} : { broker_id: replica }),
  };
}

function replicateOnce(
  context: Context,
  topic: string | undefined,
  options: StepOptions,
): Promise<undefined> {
  const fields = fieldsOf(topic, options);
  return withSession(context, async (session) => {
    const { copied, heard } = await session.call("replicate_once", fields);
    if (context.settings.json) {
      await context.data.json({ copied, heard });
      return undefined;
    }
    const rows = copied.map((round): Cell[] => [
      round.topic,
      round.partition,
      round.broker_id,
      round.batches,
      round.bytes,
      round.truncated_to,
    ]);
    await context.data.write(
      renderTable(["TOPIC", "PARTITION", "REPLICA", "BATCHES", "BYTES", "CUT-TO"], rows),
    );
    for (const round of heard)
      context.notes.remark(
        `${round.topic} [${round.partition}] on broker ${round.broker_id} copied nothing: it ends at ${round.log_end_offset}, ` +
          `as its leader knows, and has heard of high watermark ${round.high_watermark}`,
      );
    if (rows.length + heard.length === 0) context.notes.remark("nothing to copy");
    for (const { topic: name, partition, broker_id: id, problem } of copied)
      if (problem !== null) context.notes.remark(`${name} [${partition}] on broker ${id}: ${problem}`);
    return undefined;
  });
}

function refreshIsr(context: Context, topic: string | undefined, options: StepOptions): Promise<undefined> {
  const fields = fieldsOf(topic, options);
  return withSession(context, async (session) => {
    const { changed } = await session.call("refresh_isr", fields);
    if (context.settings.json) {
      await context.data.json({ changed });
      return undefined;
    }
    const rows = changed.map((each): Cell[] => [
      each.topic,
      each.partition,
      each.from.join(","),
      each.to.join(","),
    ]);
    await context.data.write(renderTable(["TOPIC", "PARTITION", "FROM", "TO"], rows));
    if (rows.length === 0) context.notes.remark("nobody left or joined");
    return undefined;
  });
}
