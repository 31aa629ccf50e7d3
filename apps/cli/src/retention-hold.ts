/** Why retention by age deletes nothing of records that look old: their times lie ahead of the broker's clock. */

import { timeText } from "./output/time.ts";
import type { Session } from "./session.ts";
import { viewsOf } from "./topic-description.ts";

/** So many partitions are asked at most: this is a remark, and nobody waits for it. */
const PARTITIONS_ASKED_MAX = 100;

/** One sentence on the first partition whose records are from the broker's future, or `null`. */
export async function futureRecords(session: Session, topic: string | undefined): Promise<string | null> {
  const { now_ms: nowMs } = await session.call("describe_cluster", {});
  const listed = (await session.call("list_topics", {})).topics;
  let left = PARTITIONS_ASKED_MAX;
  for (const { topic: name, partitions } of listed) {
    if (topic !== undefined && name !== topic) continue;
    left -= partitions;
    if (left < 0) return null;
    for (const { placement, inside } of await viewsOf(session, name)) {
      const latestMs = Math.max(
        ...(inside?.segments ?? []).map(({ latest_time_ms }) => latest_time_ms ?? -1),
      );
      if (latestMs > nowMs) return sentence(`${name} [${placement.partition}]`, latestMs, nowMs);
    }
  }
  return null;
}

function sentence(partition: string, latestMs: number, nowMs: number): string {
  return (
    `${partition} holds a record of ${timeText(latestMs)}, and the broker's clock says ${timeText(nowMs)}: by age it is ` +
    "not due before; with -c message_timestamp_type=LogAppendTime records get the broker's time"
  );
}
