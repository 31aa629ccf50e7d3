/** What the kernel foretells, as the wire says it. */
import type { Foretold, PendingStep, StepDeadline } from "@minikafka/core";
import type { ResponseFields } from "@minikafka/protocol";
import { sentenceOf } from "./pending-text.ts";

type Answer = ResponseFields<"pending_steps">;
export type PendingFields = Answer["steps"][number];
export type DeadlineFields = Answer["deadlines"][number];
type OfReplica = { readonly topic: string; readonly partition: number; readonly brokerId: number };

const placeOf = ({ topic, partition }: Omit<OfReplica, "brokerId">) => ({ topic, partition });
const replicaOf = (place: OfReplica) => ({ ...placeOf(place), broker_id: place.brokerId });

export function pendingFields(step: PendingStep): PendingFields {
  const says = sentenceOf(step);
  switch (step.operation) {
    case "replicate_once":
      return {
        operation: step.operation,
        fields: replicaOf(step.fields),
        would: roundFields(step.would),
        says,
      };
    case "refresh_isr":
      return { operation: step.operation, fields: placeOf(step.fields), would: isrFields(step.would), says };
    case "flush_logs":
      return { operation: step.operation, fields: {}, would: flushFields(step.would), says };
    case "expire_members":
      return { operation: step.operation, fields: {}, would: membersFields(step.would), says };
    case "expire_offsets":
      return { operation: step.operation, fields: {}, would: offsetsFields(step.would), says };
    case "expire_transactions":
      return { operation: step.operation, fields: {}, would: transactionsFields(step.would), says };
    case "expire_producers": {
      const expired = step.would.expired.map((each) => ({
        ...replicaOf(each),
        producer_ids: [...each.producerIds],
      }));
      return { operation: step.operation, fields: {}, would: { expired }, says };
    }
    case "apply_retention": {
      const { topic } = step.fields;
      return { operation: step.operation, fields: { topic }, would: retentionFields(step.would), says };
    }
    case "compact": {
      const { topic } = step.fields;
      return { operation: step.operation, fields: { topic }, would: compactionFields(step.would), says };
    }
  }
}

export function deadlineFields(deadline: StepDeadline): DeadlineFields {
  const {
    dueMs,
    what,
    operation,
    topic,
    partition,
    brokerId,
    groupId,
    memberId,
    transactionalId,
    producerId,
  } = deadline;
  return {
    due_at_ms: dueMs,
    what,
    operation,
    ...(topic !== undefined && { topic }),
    ...(partition !== undefined && { partition }),
    ...(brokerId !== undefined && { broker_id: brokerId }),
    ...(groupId !== undefined && { group_id: groupId }),
    ...(memberId !== undefined && { member_id: memberId }),
    ...(transactionalId !== undefined && { transactional_id: transactionalId }),
    ...(producerId !== undefined && { producer_id: producerId }),
  };
}

type Would<Name extends PendingStep["operation"]> = Foretold[Name]["would"];

function roundFields(would: Would<"replicate_once">) {
  return {
    from_offset: would.fromOffset,
    truncated_to: would.truncatedTo,
    batches: would.batches,
    bytes: would.bytes,
    problem: would.problem,
    log_start_offset: would.logStartOffset,
    log_end_offset: would.logEndOffset,
    high_watermark: would.highWatermark,
    leader_high_watermark: would.leaderHighWatermark,
    isr: [...would.inSyncReplicas],
  };
}

function isrFields({ from, to, moves, highWatermark }: Would<"refresh_isr">) {
  const moved = moves.map(({ brokerId, reason, logEndOffset, lastCaughtUpMs }) => ({
    broker_id: brokerId,
    reason,
    log_end_offset: logEndOffset,
    last_caught_up_ms: lastCaughtUpMs,
  }));
  return { from: [...from], to: [...to], moves: moved, high_watermark: highWatermark };
}

function flushFields({ logs, notes }: Would<"flush_logs">) {
  const flushed = logs.map(({ flushedOffset, logEndOffset, bytes, ...place }) => {
    return { ...replicaOf(place), flushed_offset: flushedOffset, log_end_offset: logEndOffset, bytes };
  });
  const noted = notes.map(({ brokerId, highWatermarks }) => ({
    broker_id: brokerId,
    high_watermarks: highWatermarks.map(({ highWatermark, ...place }) => {
      return { ...placeOf(place), high_watermark: highWatermark };
    }),
  }));
  return { logs: flushed, notes: noted };
}

function membersFields({ expired, rebalanced, loads }: Would<"expire_members">) {
  return {
    expired: expired.map(({ groupId, memberId, cause }) => ({
      group_id: groupId,
      member_id: memberId,
      cause,
    })),
    rebalanced: rebalanced.map(({ groupId, reason }) => ({ group_id: groupId, reason })),
    loads: loads.map(placeOf),
  };
}

function offsetsFields({ expired, dying, forgotten, loads }: Would<"expire_offsets">) {
  return {
    expired: expired.map(({ groupId, ...place }) => ({ group_id: groupId, ...placeOf(place) })),
    dying: [...dying],
    forgotten: [...forgotten],
    loads: loads.map(placeOf),
  };
}

function transactionsFields({
  aborted,
  completed,
  forgotten,
  repaired,
  loads,
}: Would<"expire_transactions">) {
  return {
    aborted: [...aborted],
    completed: [...completed],
    forgotten: [...forgotten],
    repaired: repaired.map(({ producerId, producerEpoch, committed, ...place }) => {
      return { ...placeOf(place), producer_id: producerId, producer_epoch: producerEpoch, committed };
    }),
    loads: loads.map(placeOf),
  };
}

function retentionFields({ logs }: Would<"apply_retention">) {
  const deleted = logs.flatMap(({ segments, ...place }) =>
    segments.map(({ baseOffset, nextOffset, sizeBytes, reason }) => ({
      ...replicaOf(place),
      base_offset: baseOffset,
      next_offset: nextOffset,
      size_bytes: sizeBytes,
      reason,
    })),
  );
  return {
    rolled: logs.filter(({ rolls }) => rolls).map(replicaOf),
    deleted,
    log_starts: logs.map(({ logStartOffset, ...place }) => {
      return { ...replicaOf(place), log_start_offset: logStartOffset };
    }),
  };
}

function compactionFields({ logs }: Would<"compact">) {
  const passes = logs.flatMap((log) => (log.kind === "pass" ? [log] : []));
  const held = logs.flatMap((log) => (log.kind === "held" ? [log] : []));
  return {
    passes: passes.map((log) => ({
      ...replicaOf(log),
      first_dirty_offset: log.firstDirtyOffset,
      clean_end: log.cleanEnd,
      dirty_ratio: log.dirtyRatio,
      segments: log.segments,
      bytes: log.bytes,
    })),
    held: held.map((log) => ({
      ...replicaOf(log),
      first_dirty_offset: log.firstDirtyOffset,
      copied_end: log.copiedEnd,
    })),
  };
}
