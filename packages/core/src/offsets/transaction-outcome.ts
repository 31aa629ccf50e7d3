/** What becomes of the offsets that a transaction has sent, when it ends. */
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { KeptRecord } from "../coordinator/record-kinds.ts";
import type { Env } from "../env/env.ts";
import type { MarkerResult, TransactionEnd } from "../replica/transaction-end.ts";
import type { OffsetKinds } from "./committed-offsets.ts";
import type { OffsetEntry } from "./offset-record.ts";
import type { OffsetStore } from "./offset-store.ts";

/** See CoordinatorShard.endTransaction. Where there is no topic, nothing can have been sent. */
export async function endInPartition<Kinds extends OffsetKinds>(
  topic: CoordinatorTopic<Kinds>,
  { partition, ...end }: TransactionEnd & { readonly partition: number },
  env: Env,
  wait: Wait = {},
): Promise<MarkerResult> {
  const shard = topic.shards()[partition];
  if (shard === undefined) return { offset: null };
  return shard.endTransaction(end, wait, (counting, kinds) => traceCommitted(counting, kinds.offset, env));
}

/** An event for each group. */
function traceCommitted(counting: readonly KeptRecord[], store: OffsetStore, { trace }: Env): void {
  const groups = new Map<string, OffsetEntry[]>();
  for (const { keeper, entry } of counting) {
    if (keeper !== store) continue;
    const offset = entry as OffsetEntry;
    groups.set(offset.groupId, [...(groups.get(offset.groupId) ?? []), offset]);
  }
  for (const [groupId, entries] of groups) {
    const offsets = entries.flatMap(({ topic, partition, stored }) =>
      stored === null ? [] : [{ topic, partition, offset: stored.offset }],
    );
    trace({ kind: "offsets_committed", groupId, memberId: null, generation: null, offsets });
  }
}
