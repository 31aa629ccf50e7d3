/** Steps as one would type them, and what they did in short. */
import type { ParsedResponse } from "@minikafka/protocol";
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
      return taken.did && joined(taken.did.copied.map(roundText), "the leader heard where it ends");
    case "refresh_isr":
      return taken.did && joined(taken.did.changed.map(({ from, to }) => `${from} to ${to}`));
    case "flush_logs":
      return taken.did && "all logs are durable";
    case "expire_members":
      return taken.did && joined(taken.did.expired.map((each) => `${each.member_id} of ${each.group_id}`));
    case "expire_offsets":
      return (
        taken.did &&
        joined(taken.did.expired.map((each) => `${each.topic}-${each.partition} of ${each.group_id}`))
      );
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
      return (
        taken.did &&
        joined(
          taken.did.deleted.map((each) => `${each.base_offset} to ${each.next_offset} on ${each.broker_id}`),
        )
      );
    case "compact":
      return (
        taken.did &&
        joined(
          taken.did.compacted.map(
            (each) => `${each.bytes_before} to ${each.bytes_after} bytes on ${each.broker_id}`,
          ),
        )
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

function transactionsText(did: ParsedResponse<"expire_transactions">): string {
  const named = (what: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [`${what} ${ids.join(", ")}`];
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
  ]);
}
