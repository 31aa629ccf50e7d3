/** `step`: the broker's background work, taken by hand. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { futureRecords } from "../retention-hold.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { flushText } from "../steps/step-text.ts";
import { declareGroupSteps } from "./step-groups.ts";
import { declarePendingSteps } from "./step-pending.ts";
import { declareReplicationSteps } from "./step-replication.ts";
import { declareTransactionSteps } from "./step-transactions.ts";

const NOTE =
  "In auto mode the broker takes these steps by itself: a round after each append, a look at who is in sync\n" +
  "twice within --replica-lag-time-ms, a flush every 5 seconds, compaction every 15 seconds, retention every\n" +
  "5 minutes, a look for silent members of groups four times a second, for transactions that are open for too long every\n" +
  "second, for silent producers and for old offsets every 10 minutes. By hand they need a broker started with --lab or --clock manual. A manual clock begins at --start-time, and minikafka-cli produce gives records this machine's\n" +
  "time: give a topic -c message_timestamp_type=LogAppendTime to see its records grow old by clock advance.\n" +
  "With several brokers and a manual clock what groups change waits for its followers, as --acks all does: joins, commits,\n" +
  "expire-members and expire-offsets end with a step replicate __consumer_offsets from another terminal. A transaction takes\n" +
  "several rounds of all topics: its end is decided in one, its markers are written in the next, and then it is complete.";

interface RollOptions {
  readonly partition: number;
}

/** In the list of commands, and in its own help. */
interface Meaning {
  readonly summary: string;
  readonly description: string;
}

type Act = (context: Context, session: Session, topic: string | undefined) => Promise<void>;

/** Of all topics, or of one that is named. */
const OF_LOGS: readonly (readonly [name: string, meaning: Meaning, act: Act])[] = [
  [
    "retention",
    {
      summary: "delete the segments that are too old or too many",
      description: "Deletes the segments that are too old or too many, of all topics or one, and lists them.",
    },
    applyRetention,
  ],
  [
    "compact",
    {
      summary: "take one pass of compaction",
      description:
        "Takes one pass of compaction over the closed and flushed segments of all topics or one whose cleanup_policy says compact.",
    },
    compactLogs,
  ],
];

const OF_ALL: typeof OF_LOGS = [
  [
    "expire-producers",
    {
      summary: "forget the idempotent producers that were silent for a day",
      description:
        "Lets partitions forget the idempotent producers that they heard nothing of for a day; their retries are not known any more.",
    },
    expireProducers,
  ],
  [
    "flush",
    {
      summary: "make everything durable that was written before",
      description: "Makes everything durable that was written before.",
    },
    flushAll,
  ],
];

export function declareStep(program: Command, perform: Perform): void {
  const step = program
    .command("step")
    .summary("take the broker's background work by hand")
    .description(
      "Takes one step of the broker's background work. It needs a broker started with --lab or --clock manual.",
    );
  const ofLogs = (name: string, { summary, description }: Meaning, act: Act) =>
    step
      .command(name)
      .summary(summary)
      .description(description)
      .argument("[topic]", "the topic's name")
      .action((topic: string | undefined, _options: unknown, self: Command) =>
        perform(self, (context) => inSession(context, (session) => act(context, session, topic)), topic),
      );
  const ofAll = (name: string, { summary, description }: Meaning, act: Act) =>
    step
      .command(name)
      .summary(summary)
      .description(description)
      .action((_options: unknown, self: Command) =>
        perform(self, (context) => inSession(context, (session) => act(context, session, undefined))),
      );
  declarePendingSteps(step, perform);
  declareTransactionSteps(step, perform);
  const commands = [
    step,
    ...declareReplicationSteps(step, perform),
    ...declareGroupSteps(step, perform),
    declareRoll(step, perform),
    ...OF_LOGS.map(([name, meaning, act]) => ofLogs(name, meaning, act)),
    ...OF_ALL.map(([name, meaning, act]) => ofAll(name, meaning, act)),
  ];
  const shown = [
    "minikafka-cli step replicate orders",
    "minikafka-cli step isr",
    "minikafka-cli clock advance 8h && minikafka-cli step retention orders",
    "minikafka-cli step roll profiles && minikafka-cli step flush && minikafka-cli step compact profiles",
  ];
  for (const command of commands) addSharedOptions(command).addHelpText("after", examples(shown, NOTE));
}

function declareRoll(step: Command, perform: Perform): Command {
  return step
    .command("roll")
    .summary("begin a new segment in a partition")
    .description("Begins a new segment in a partition, so that retention can reach what was written.")
    .argument("<topic>", "the topic's name")
    .option("-p, --partition <n>", "the partition", wholeNumber(0), 0)
    .action((topic: string, { partition }: RollOptions, self: Command) =>
      perform(
        self,
        (context) => inSession(context, (session) => rollOne(context, session, topic, partition)),
        topic,
      ),
    );
}

function inSession(context: Context, act: (session: Session) => Promise<void>): Promise<undefined> {
  return withSession(context, async (session) => {
    await act(session);
    return undefined;
  });
}

async function rollOne(context: Context, session: Session, topic: string, partition: number): Promise<void> {
  const { rolled, base_offset } = await session.call("roll_segment", { topic, partition });
  if (context.settings.json) return context.data.json({ topic, partition, rolled, base_offset });
  return context.data.line(
    rolled
      ? `${topic} [${partition}] begins a segment at offset ${base_offset}`
      : `${topic} [${partition}] has an empty segment at offset ${base_offset} already`,
  );
}

async function applyRetention(context: Context, session: Session, topic: string | undefined): Promise<void> {
  const answer = await session.call("apply_retention", scopeOf(topic));
  if (context.settings.json) return context.data.json(answer);
  const headers = ["TOPIC", "PARTITION", "BROKER", "SEGMENT", "NEXT-OFFSET", "BYTES", "REASON"];
  await context.data.write(renderTable(headers, answer.deleted.map(deletedRow)));
  for (const { topic: name, partition, broker_id: id, base_offset: base, next_offset: next } of answer.closed)
    context.notes.remark(
      `${name} [${partition}] on broker ${id} closed the segment of ${base}; the next begins at ${next}`,
    );
  if (answer.deleted.length > 0) return;
  if (answer.closed.length === 0)
    context.notes.remark("nothing was due; describe TOPIC -p N shows the segments with their latest times");
  const ahead = await futureRecords(session, topic);
  if (ahead !== null) context.notes.remark(ahead);
}

function deletedRow(segment: ParsedResponse<"apply_retention">["deleted"][number]): Cell[] {
  const { topic, partition, broker_id, base_offset, next_offset, size_bytes, reason } = segment;
  return [topic, partition, broker_id, base_offset, next_offset, size_bytes, reason];
}

async function compactLogs(context: Context, session: Session, topic: string | undefined): Promise<void> {
  const answer = await session.call("compact", scopeOf(topic));
  if (context.settings.json) return context.data.json(answer);
  const headers = ["TOPIC", "PARTITION", "BROKER", "SEGMENTS", "BYTES", "KEPT", "DROPPED", "CLEAN-TO"];
  await context.data.write(renderTable(headers, answer.compacted.map(compactedRow)));
  for (const log of [...answer.compacted, ...answer.gave_way])
    if (log.waits_for.length > 0) context.notes.remark(heldBy(log));
  for (const { topic, partition, broker_id, gave_way_to, passes } of answer.gave_way)
    if (gave_way_to !== "replicas")
      context.notes.remark(
        `${topic} [${partition}] on broker ${broker_id}: nothing was done, ${passes === 1 ? "the pass" : `each of ${passes} passes`} ` +
          `gave way to ${PRECEDENCE[gave_way_to]}; take the step again`,
      );
  if (answer.compacted.length + answer.gave_way.length === 0)
    context.notes.remark(
      "nothing was due; only closed and flushed segments of a topic with cleanup_policy compact are",
    );
}

type Held = Pick<
  ParsedResponse<"compact">["compacted"][number],
  "topic" | "partition" | "broker_id" | "waits_for"
>;

function heldBy({ topic, partition, broker_id, waits_for }: Held): string {
  return (
    `${topic} [${partition}] on broker ${broker_id} keeps tombstones or markers whose time is over: replicas that are away, behind or not ` +
    `flushed may lack them (brokers ${waits_for.join(", ")}); replicas ${topic} shows where they stand`
  );
}

const PRECEDENCE = {
  truncation: "a truncation of the log",
  removal: "retention or deleted records",
  close: "the stop of its broker",
} as const;

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
  const answer = await session.call("flush_logs", {});
  if (context.settings.json) return context.data.json(answer);
  context.notes.remark(flushText(answer));
  return context.data.line("flushed all logs");
}

function scopeOf(topic: string | undefined): { topic?: string } {
  return topic === undefined ? {} : { topic };
}
