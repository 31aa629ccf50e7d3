/** Steps as one would type them, and what they did in short. */
import type { ParsedResponse } from "@minikafka/protocol";
import { counted } from "../log/sizes-text.ts";
import type { Cell } from "../output/table.ts";
import { durationText } from "../output/time.ts";

type Taken = ParsedResponse<"run_until_quiet">["steps"][number];
type Deadline = ParsedResponse<"pending_steps">["deadlines"][number];
type StepName = Taken["operation"];

const COMMANDS: { readonly [Name in StepName]: string } = {
  replicate_once: "replicate",
  refresh_isr: "isr",
  flush_logs: "flush",
  expire_members: "expire-members",
  expire_offsets: "expire-offsets",
  expire_transactions: "expire-transactions",
  expire_producers: "expire-producers",
  apply_retention: "retention",
  compact: "compact",
};

interface Named {
  readonly operation: StepName;
  readonly fields: object;
}

/** The command behind `minikafka-cli step` that takes it. */
export function stepCommand({ operation, fields }: Named): string {
  const {
    topic,
    partition,
    broker_id: replica,
  } = fields as {
    readonly topic?: string;
    readonly partition?: number;
    readonly broker_id?: number;
  };
  const parts = [COMMANDS[operation]];
  if (topic !== undefined) parts.push(topic);
  if (partition !== undefined) parts.push(`-p ${partition}`);
  if (replica !== undefined) parts.push(`--replica ${replica}`);
  return parts.join(" ");
}

/** What came of a step, in the numbers that matter most; or why nothing did. */
export function didText(taken: Taken): string | null {
  if (taken.problem !== null) return `${taken.problem.code}: ${taken.problem.message}`;
  switch (taken.operation) {
    case "replicate_once":
      return taken.did && joined([...taken.did.copied.map(roundText), ...taken.did.heard.map(heardText)]);
    case "refresh_isr":
      return taken.did && joined(taken.did.changed.map(({ from, to }) => `${from} to ${to}`));
    case "flush_logs":
      return taken.did && flushText(taken.did);
    case "expire_members":
      return taken.did && membersText(taken.did);
    case "expire_offsets":
      return taken.did && offsetsText(taken.did);
    case "expire_transactions":
      return taken.did && transactionsText(taken.did);
    case "expire_producers":
      return (
        taken.did &&
        joined(
          taken.did.expired.map((each) => `${each.producer_ids.length} in ${each.topic}-${each.partition}`),
        )
      );
    case "apply_retention":
      return taken.did && retentionText(taken.did);
    case "compact":
      return (
        taken.did &&
        joined([
          ...taken.did.compacted.map(
            (each) => `${each.bytes_before} to ${each.bytes_after} bytes on ${each.broker_id}`,
          ),
          ...taken.did.gave_way.map((each) => `gave way to ${each.gave_way_to} on ${each.broker_id}`),
        ])
      );
  }
}

/** In how long what comes, of whom, for which step. */
export function deadlineRow(deadline: Deadline, nowMs: number): Cell[] {
  const { topic, partition, broker_id: brokerId } = deadline;
  const place = topic === undefined ? null : `${topic}${partition === undefined ? "" : `-${partition}`}`;
  const { request, producer_id: producerId } = deadline;
  const producer = producerId === undefined ? null : `producer ${producerId}`;
  const who = [request, deadline.member_id, deadline.group_id, deadline.transactional_id, producer, place]
    .filter((each) => each !== undefined && each !== null)
    .join(" of ");
  const of = brokerId === undefined ? who : `${who} on ${brokerId}`;
  const step =
    deadline.operation === null ? null : (COMMANDS[deadline.operation as StepName] ?? deadline.operation);
  return [durationText(deadline.due_at_ms - nowMs), deadline.what, of, step];
}

/** The same in one line. */
export function deadlineText(deadline: Deadline, nowMs: number): string {
  const [after, what, of] = deadlineRow(deadline, nowMs);
  return `${what}${of === "" ? "" : ` of ${of}`}, ${after} on`;
}

function joined(parts: readonly string[], nothing = "nothing to tell"): string {
  return parts.length === 0 ? nothing : parts.join("; ");
}

function roundText(round: {
  readonly batches: number;
  readonly bytes: number;
  readonly truncated_to: number | null;
  readonly problem: string | null;
}): string {
  if (round.problem !== null) return round.problem;
  const cut = round.truncated_to === null ? [] : [`cut to ${round.truncated_to}`];
  return joined([
    ...cut,
    `${round.batches} ${round.batches === 1 ? "batch" : "batches"}, ${round.bytes} bytes`,
  ]);
}

function heardText(round: ParsedResponse<"replicate_once">["heard"][number]): string {
  return `heard of high watermark ${round.high_watermark}; its leader knows that it ends at ${round.log_end_offset}`;
}

/** What a flush made durable. */
export function flushText({ flushed, noted }: ParsedResponse<"flush_logs">): string {
  const bytes = flushed.reduce((sum, log) => sum + log.bytes, 0);
  const written = flushed.filter((log) => log.bytes > 0).length;
  const others = flushed.length - written;
  return joined(
    [
      ...(written === 0 ? [] : [`${counted(bytes, "byte")} of ${counted(written, "log")} are durable`]),
      ...(others === 0 ? [] : [`files and segments of ${counted(others, "log")} are durable`]),
      ...named("noted high watermarks on broker", noted.map(String)),
    ],
    "all was durable already",
  );
}

function membersText({ expired, rebalanced, loaded }: ParsedResponse<"expire_members">): string {
  return joined([
    ...expired.map((each) => `${each.member_id} of ${each.group_id}`),
    ...rebalanced.map((each) => `rebalanced ${each.group_id} (${each.reason})`),
    ...loadedText(loaded),
  ]);
}

function offsetsText({ expired, dying, forgotten, loaded }: ParsedResponse<"expire_offsets">): string {
  return joined([
    ...expired.map((each) => `${each.topic}-${each.partition} of ${each.group_id}`),
    ...named("ended the empty groups", dying),
    ...named("forgot the dead groups", forgotten),
    ...loadedText(loaded),
  ]);
}

function retentionText({ closed, deleted }: ParsedResponse<"apply_retention">): string {
  return joined([
    ...closed.map((each) => `closed ${each.base_offset} to ${each.next_offset} on ${each.broker_id}`),
    ...deleted.map((each) => `deleted ${each.base_offset} to ${each.next_offset} on ${each.broker_id}`),
  ]);
}

/** `loaded 3 partitions of __consumer_offsets`, by topic. */
export function loadedText(loaded: readonly { readonly topic: string }[]): string[] {
  const topics = new Map<string, number>();
  for (const { topic } of loaded) topics.set(topic, (topics.get(topic) ?? 0) + 1);
  return [...topics].map(([topic, count]) => `loaded ${counted(count, "partition")} of ${topic}`);
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(", ")}`];
}

function transactionsText(did: ParsedResponse<"expire_transactions">): string {
  return joined([
    ...named("aborted", did.aborted),
    ...named("completed", did.completed),
    ...named("forgot", did.forgotten),
    ...named(
      "failed",
      did.failed.map((each) => each.transactional_id),
    ),
    ...named(
      "repaired",
      did.repaired.map((each) => `${each.topic}-${each.partition}`),
    ),
    ...loadedText(did.loaded),
  ]);
}
