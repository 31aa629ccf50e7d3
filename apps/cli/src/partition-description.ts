/** What `describe TOPIC -p N` shows: all that a partition's leader knows, and where each replica stands. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "./context.ts";
import { renderFacts, renderTable } from "./output/table.ts";
import { timeCell } from "./output/time.ts";

type Inside = ParsedResponse<"describe_partition">;

/** Prints the partition: facts and tables, or one document. */
export function showPartition(context: Context, partition: Inside): Promise<void> {
  if (context.settings.json) return context.data.json(partition);
  const tables = [
    factsOf,
    replicasOf,
    segmentsOf,
    epochsOf,
    ...(partition.producer_count > 0 ? [producersOf] : []),
    ...(partition.open_transactions.length > 0 ? [transactionsOf] : []),
  ];
  return context.data.write(
    tables
      .map((table) => table(partition))
      .filter((table) => table !== "")
      .join("\n"),
  );
}

function factsOf(partition: Inside): string {
  return renderFacts([
    ["TOPIC", partition.topic],
    ["PARTITION", partition.partition],
    ["LEADER", partition.leader_id],
    ["EPOCH", partition.leader_epoch],
    ["ISR", partition.isr.join(",")],
    ["LOG-START", partition.log_start_offset],
    ["LAST-STABLE", partition.last_stable_offset],
    ["HIGH-WATERMARK", partition.high_watermark],
    ["LOG-END", partition.log_end_offset],
    ["PRODUCERS", partition.producer_count],
  ]);
}

function replicasOf({ replicas }: Inside): string {
  return renderTable(
    ["REPLICA", "LOG-END", "HIGH-WATERMARK", "IN-SYNC", "ONLINE", "CAUGHT-UP"],
    replicas.map((replica) => [
      replica.broker_id,
      replica.log_end_offset,
      replica.high_watermark,
      inSyncCell(replica),
      replica.online ? "yes" : "no",
      timeCell(replica.last_caught_up_ms),
    ]),
  );
}

/** Whether a replica is in sync; one that an operator took out stays out until it rejoins. */
export function inSyncCell({ in_sync, held_out }: Inside["replicas"][number]): string {
  return in_sync ? "yes" : held_out ? "held-out" : "no";
}

function segmentsOf({ segments }: Inside): string {
  return renderTable(
    ["SEGMENT", "NEXT-OFFSET", "BYTES", "LATEST-TIME", "ACTIVE"],
    segments.map((segment) => [
      segment.base_offset,
      segment.next_offset,
      segment.size_bytes,
      timeCell(segment.latest_time_ms),
      segment.active ? "yes" : "no",
    ]),
  );
}

function epochsOf({ epochs }: Inside): string {
  return renderTable(
    ["EPOCH", "START-OFFSET"],
    epochs.map(({ epoch, start_offset }) => [epoch, start_offset]),
  );
}

/** The idempotent producers that were heard of last. */
function producersOf({ producers }: Inside): string {
  return renderTable(
    ["PRODUCER", "PRODUCER-EPOCH", "LAST-SEQUENCE", "LAST-OFFSET", "LAST-SEEN"],
    producers.map((producer) => [
      producer.producer_id,
      producer.producer_epoch,
      producer.last_sequence,
      producer.last_offset,
      timeCell(producer.last_seen_ms),
    ]),
  );
}

/** The transactions that are open here; `tx describe` and `tx abort` take their ids. */
function transactionsOf({ open_transactions: open }: Inside): string {
  return renderTable(
    ["OPEN-TRANSACTION-OF", "PRODUCER", "PRODUCER-EPOCH", "FIRST-OFFSET"],
    open.map((each) => [each.transactional_id, each.producer_id, each.producer_epoch, each.first_offset]),
  );
}
