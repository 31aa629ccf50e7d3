/** `step`: the broker's background work, taken by hand. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { declareReplicationSteps } from "./step-replication.ts";

const NOTE =
  "In auto mode the broker takes these steps by itself: a round after each append, a look at who is in sync\n" +
  "twice within --replica-lag-time-ms, a flush every 5 seconds, compaction every 15 seconds, a look for silent\n" +
  "producers every 10 minutes. By hand they need a broker started with --lab or --clock manual.";

export function declareStep(program: Command, perform: Perform): void {
  const step = program
    .command("step")
    .summary("take the broker's background work by hand")
    .description(
      "Takes one step of the broker's background work. It needs a broker started with --lab or --clock manual.",
    );
  const compact = step
    .command("compact")
    .description(
      "Takes one pass of compaction over the closed and flushed segments of all topics or one whose cleanup_policy says compact.",
    )
    .argument("[topic]", "the topic's name")
    .action((topic: string | undefined, _options: unknown, self: Command) =>
      perform(
        self,
        (context) => inSession(context, (session) => compactLogs(context, session, topic)),
        topic,
      ),
    );
  const expire = step
    .command("expire-producers")
    .description(
      "Lets partitions forget the idempotent producers that they heard nothing of for a day; their retries are not known any more.",
    )
    .action((_options: unknown, self: Command) =>
      perform(self, (context) => inSession(context, (session) => expireProducers(context, session))),
    );
  const flush = step
    .command("flush")
    .description("Makes everything durable that was written before.")
    .action((_options: unknown, self: Command) =>
      perform(self, (context) => inSession(context, (session) => flushAll(context, session))),
    );
  const replication = declareReplicationSteps(step, perform);
  const shown = [
    "minikafka-cli step replicate orders",
    "minikafka-cli step isr",
    "minikafka-cli step flush && minikafka-cli step compact profiles",
  ];
  for (const command of [step, ...replication, compact, expire, flush])
    addSharedOptions(command).addHelpText("after", examples(shown, NOTE));
}

function inSession(context: Context, act: (session: Session) => Promise<void>): Promise<undefined> {
  return withSession(context, async (session) => {
    await act(session);
    return undefined;
  });
}

async function compactLogs(context: Context, session: Session, topic: string | undefined): Promise<void> {
  const answer = await session.call("compact", scopeOf(topic));
  if (context.settings.json) return context.data.json(answer);
  const headers = ["TOPIC", "PARTITION", "BROKER", "SEGMENTS", "BYTES", "KEPT", "DROPPED", "CLEAN-TO"];
  await context.data.write(renderTable(headers, answer.compacted.map(compactedRow)));
  if (answer.compacted.length === 0)
    context.notes.remark(
      "nothing was due; only closed and flushed segments of a topic with cleanup_policy compact are",
    );
}

function compactedRow(log: ParsedResponse<"compact">["compacted"][number]): Cell[] {
  return [
    log.topic,
    log.partition,
    log.broker_id,
    `${log.segments_before}->${log.segments_after}`,
    `${log.bytes_before}->${log.bytes_after}`,
    log.records_kept,
    log.records_dropped,
    log.first_dirty_offset,
  ];
}

async function expireProducers(context: Context, session: Session): Promise<void> {
  const answer = await session.call("expire_producers", {});
  if (context.settings.json) return context.data.json(answer);
  const rows = answer.expired.map(({ topic, partition, broker_id, producer_ids }): Cell[] => [
    topic,
    partition,
    broker_id,
    producer_ids.length,
  ]);
  await context.data.write(renderTable(["TOPIC", "PARTITION", "BROKER", "FORGOTTEN"], rows));
  if (rows.length === 0)
    context.notes.remark("every producer was heard of within a day, or none has written");
}

async function flushAll(context: Context, session: Session): Promise<void> {
  await session.call("flush_logs", {});
  if (context.settings.json) return context.data.json({ flushed: true });
  return context.data.line("flushed all logs");
}

function scopeOf(topic: string | undefined): { topic?: string } {
  return topic === undefined ? {} : { topic };
}
