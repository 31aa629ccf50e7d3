/** What a step would do, in one sentence for people. */
import { type Foretold, type PendingStep, partitionName } from "@minikafka/core";

export function sentenceOf(step: PendingStep): string {
  switch (step.operation) {
    case "replicate_once":
      return `broker ${step.fields.brokerId} would ${roundText(step.would)} ${partitionName(step.fields)}`;
    case "refresh_isr":
      return isrText(partitionName(step.fields), step.would);
    case "flush_logs":
      return flushText(step.would);
    case "expire_members":
      return membersText(step.would);
    case "expire_offsets":
      return offsetsText(step.would);
    case "expire_transactions":
      return transactionsText(step.would);
    case "expire_producers": {
      const producers = step.would.expired.reduce((sum, { producerIds }) => sum + producerIds.length, 0);
      return `${counted(step.would.expired.length, "replica")} would forget ${counted(producers, "silent producer")}`;
    }
    case "apply_retention":
      return retentionText(step.fields.topic, step.would);
    case "compact":
      return compactionText(step.fields.topic, step.would);
  }
}

/** What is to be said besides of a step that is done only when these brokers have copied what it writes. */
export function copyingText(copiers: readonly number[]): string {
  if (copiers.length === 0) return "";
  const who = copiers.length === 1 ? `broker ${copiers[0]} has` : `brokers ${copiers.join(", ")} have`;
  return `; it is done when ${who} copied what it writes, with replicate_once meanwhile`;
}

type Would<Name extends PendingStep["operation"]> = Foretold[Name]["would"];

function counted(count: number, what: string, plural = `${what}s`): string {
  return `${count} ${count === 1 ? what : plural}`;
}

/** The parts that are not empty, or `nothing`. */
function joined(parts: readonly (string | null)[], nothing: string): string {
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? nothing : said.join(", ");
}

function named(what: string, names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const rest = names.length - 3;
  return `${what} ${names.slice(0, 3).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function loadText(loads: readonly { readonly topic: string; readonly partition: number }[]): string | null {
  const [first] = loads;
  return first === undefined ? null : `load ${counted(loads.length, "partition")} of ${first.topic}`;
}

function roundText(would: Would<"replicate_once">): string {
  const { problem, truncatedTo, batches, bytes, fromOffset, logEndOffset, highWatermark, moves } = would;
  if (problem !== null) return `fail (${problem}) to copy`;
  const parts = [
    truncatedTo === null ? null : `cut its log from ${fromOffset} to ${truncatedTo}`,
    batches === 0
      ? null
      : `copy ${counted(batches, "batch", "batches")} (${bytes} bytes), up to offset ${logEndOffset}`,
    batches === 0 && truncatedTo === null ? `tell its leader that it ends at ${logEndOffset}` : null,
    `hear of high watermark ${highWatermark}`,
    ...moves.map(({ brokerId }) => `let broker ${brokerId} into the in-sync replicas`),
  ];
  return `${joined(parts, "do nothing")}, in`;
}

function isrText(partition: string, { from, to, moves, highWatermark }: Would<"refresh_isr">): string {
  const why = moves.map(({ brokerId, reason }) => `${brokerId}: ${reason}`).join(", ");
  return `the in-sync replicas of ${partition} would go from ${from} to ${to} (${why}), with high watermark ${highWatermark}`;
}

function flushText({ logs, notes }: Would<"flush_logs">): string {
  const bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
  const written = logs.filter((log) => log.bytes > 0).length;
  const parts = [
    written === 0 ? null : `make ${counted(bytes, "byte")} of ${counted(written, "log")} durable`,
    written === logs.length
      ? null
      : `make files and segments of ${counted(logs.length - written, "log")} durable`,
    notes.length === 0
      ? null
      : `note high watermarks on broker ${notes.map(({ brokerId }) => brokerId).join(", ")}`,
  ];
  return `a flush would ${joined(parts, "do nothing")}`;
}

function membersText({ expired, rebalanced, loads }: Would<"expire_members">): string {
  const members = expired.map(({ groupId, memberId, cause }) => `${memberId} of ${groupId} (${cause})`);
  const groups = rebalanced.map(({ groupId, reason }) => `${groupId} (${reason})`);
  const parts = [named("expire", members), named("rebalance", groups), loadText(loads)];
  return `it would ${joined(parts, "do nothing")}`;
}

function offsetsText({ expired, dying, forgotten, loads }: Would<"expire_offsets">): string {
  const offsets = expired.map(({ groupId, topic, partition }) => `${topic}-${partition} of ${groupId}`);
  const parts = [
    named("forget the offsets", offsets),
    named("end the empty groups", dying),
    named("forget the dead groups", forgotten),
    loadText(loads),
  ];
  return `it would ${joined(parts, "do nothing")}`;
}

function transactionsText(would: Would<"expire_transactions">): string {
  const { aborted, completed, forgotten, repaired, loads } = would;
  const hanging = repaired.map((each) => `producer ${each.producerId} in ${partitionName(each)}`);
  const parts = [
    named("abort", aborted),
    named("complete the ends of", completed),
    named("forget", forgotten),
    named("end the hanging transactions of", hanging),
    loadText(loads),
  ];
  return `it would ${joined(parts, "do nothing")}`;
}

function retentionText(topic: string, { logs }: Would<"apply_retention">): string {
  const segments = logs.flatMap((log) => log.segments);
  const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const rolled = logs.filter(({ rolls }) => rolls).length;
  const parts = [
    rolled === 0 ? null : `close the written segment of ${counted(rolled, "log")}`,
    segments.length === 0 ? null : `delete ${counted(segments.length, "segment")} (${bytes} bytes)`,
  ];
  return `retention would ${joined(parts, "do nothing")} of ${topic}`;
}

function compactionText(topic: string, { logs }: Would<"compact">): string {
  const passes = logs.flatMap((log) => (log.kind === "pass" ? [log] : []));
  const segments = passes.reduce((sum, log) => sum + log.segments, 0);
  const bytes = passes.reduce((sum, log) => sum + log.bytes, 0);
  const held = logs.length - passes.length;
  const parts = [
    passes.length === 0
      ? null
      : `go over ${counted(segments, "segment")} (${bytes} bytes) in ${counted(passes.length, "log")}`,
    held === 0 ? null : `tell that tombstones stay in ${counted(held, "log")}`,
  ];
  return `compaction would ${joined(parts, "do nothing")} of ${topic}`;
}
