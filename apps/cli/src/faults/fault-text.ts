/** A fault in words, for tables and sentences. */
import type { ParsedResponse, RequestFields } from "@minikafka/protocol";
import { durationText } from "../output/time.ts";

export type FaultOrder = RequestFields<"arm_fault">;
export type ListedRule = ParsedResponse<"list_faults">["rules"][number];

/** `error NOT_ENOUGH_REPLICAS`, `delay 500ms`, `drop-answer`: as one types it. */
export function actionText(order: FaultOrder | ListedRule): string {
  const { action, code, errno, delay_ms: delayMs, bytes_written: bytesWritten } = order;
  const besides = [
    code,
    errno,
    delayMs === undefined ? undefined : durationText(delayMs),
    bytesWritten === undefined ? undefined : `after ${bytesWritten} bytes`,
  ].filter((text) => text !== undefined);
  return [action.replaceAll("_", "-"), ...besides].join(" ");
}

export function timesText({ times = "once" }: FaultOrder | ListedRule): string {
  if (typeof times === "string") return times;
  if ("nth" in times) return `nth ${times.nth}`;
  if ("first" in times) return `first ${times.first}`;
  return `probability ${times.probability} seed ${times.seed}`;
}

const SCOPE = {
  topic: "topic",
  partition: "partition",
  broker_id: "broker",
  group_id: "group",
  transactional_id: "transactional id",
} as const;

/** `topic orders, partition 0`, or `null` for a fault that is bound by nothing. */
export function scopeText(order: FaultOrder | ListedRule): string | null {
  const bounds = Object.entries(SCOPE).flatMap(([name, word]) => {
    const value = order[name as keyof typeof SCOPE];
    return value === undefined ? [] : [`${word} ${value}`];
  });
  return bounds.length === 0 ? null : bounds.join(", ");
}
