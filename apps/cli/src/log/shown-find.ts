/** The way to an offset or a time as `log find` shows it, from the wire and from a folder alike. */
import { type FolderFind, foundRecordFields, lookupStepFields, type SoughtPlace } from "@minikafka/core/log";
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "../context.ts";
import { CliError } from "../failure.ts";
import { DamageReport, type Flaw } from "./damage.ts";
import { batchDocument, batchFields, batchText } from "./shown-batch.ts";

type WireFind = ParsedResponse<"find_in_log">;
type Step = WireFind["steps"][number];
type TimeEntry = Extract<Step, { step: "time_index" }>["after"];

/** The names are the protocol's: -J prints them. */
export type ShownFind = Pick<WireFind, "steps" | "steps_left_out" | "batch" | "record"> & {
  readonly damage: Flaw | null;
};

export function findFromWire({ damage, ...found }: WireFind): ShownFind {
  if (damage === null) return { ...found, damage };
  const { segment, position, problem } = damage;
  return { ...found, damage: { where: { segment }, position, problem } };
}

export function findFromFolder({ steps, batch, record, damage }: Omit<FolderFind, "range">): ShownFind {
  return {
    steps: steps.map(lookupStepFields),
    steps_left_out: 0,
    batch: batch === null ? null : batchFields(batch),
    record: record && foundRecordFields(record),
    damage: damage && { where: { file: damage.file }, position: damage.position, problem: damage.problem },
  };
}

/** Prints everything, and throws DAMAGE_FOUND or NOT_FOUND when what is sought was not found. `name` is whose log it is. */
export async function printFind(
  context: Context,
  { name, sought }: { readonly name: string; readonly sought: SoughtPlace },
  { steps, steps_left_out, batch, record, damage }: ShownFind,
): Promise<void> {
  const { settings, data } = context;
  const report = new DamageReport(context);
  if (steps_left_out > 0) {
    if (settings.json) await data.json({ type: "steps_left_out", steps: steps_left_out });
    else await data.line(`${steps_left_out} segments before these: not taken`);
  }
  for (const step of steps) {
    if (settings.json) {
      const { step: type, ...facts } = step;
      await data.json({ type, ...facts });
    } else await data.line(stepText(step));
  }
  if (batch !== null) {
    if (settings.json) await data.json(batchDocument(batch));
    else await data.write(batchText(batch));
    const { segment, position, problem } = batch;
    if (problem !== null) await report.damage({ where: { segment }, position, problem });
  }
  if (record !== null) {
    const { offset, timestamp_ms, place } = record;
    if (settings.json) await data.json({ type: "record", ...record });
    else await data.line(`offset: ${offset} CreateTime: ${timestamp_ms} placeInBatch: ${place}`);
  }
  if (damage !== null) await report.damage(damage);
  report.requireNone(name, "log dump shows what can be read around it");
  if (record === null) requireExplained(name, sought, batch);
}

/** Without a record there is a reason, and only that nothing here reads their codec is no failure. */
function requireExplained(name: string, sought: SoughtPlace, batch: ShownFind["batch"]): void {
  if (batch !== null && batch.codec !== "none") return;
  if ("offset" in sought)
    throw new CliError("NOT_FOUND", `${name} has no record of offset ${sought.offset} any more`, {
      hint: "compaction has removed it; its place in the log is kept",
    });
  throw new CliError("NOT_FOUND", `${name} has no record of time ${sought.timestampMs} or later`, {
    details: { timestamp_ms: sought.timestampMs },
  });
}

function stepText(step: Step): string {
  switch (step.step) {
    case "segment": {
      const { segment, next_offset, max_timestamp_ms, taken } = step;
      return `segment ${segment}: up to offset ${next_offset}, latest time ${max_timestamp_ms}: ${taken ? "taken" : "not taken"}`;
    }
    case "time_index":
      return `time index of segment ${step.segment}: after ${entryText(step.after)}, until ${entryText(step.until)}`;
    case "offset_index":
      return `offset index of segment ${step.segment}: offset ${step.offset} at position ${step.position}`;
    case "scan": {
      const batches = step.batches === 1 ? "one batch" : `${step.batches} batches`;
      return `segment ${step.segment}: ${batches} looked at from position ${step.position}`;
    }
    case "index_refused":
      return `an index of segment ${step.segment} is not used: ${step.problem}`;
  }
}

function entryText(entry: TimeEntry): string {
  return entry === null ? "no entry" : `time ${entry.timestamp_ms} at offset ${entry.offset}`;
}
