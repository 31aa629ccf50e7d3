/** An event as a line for people: number, time, kind, place, and its facts as name=value. */
import type { WatchedEvent } from "@minikafka/protocol";

/** Date's bounds, beyond which a time is shown as the number that it is. */
const DATE_MS_MAX = 8_640_000_000_000_000;

/** `17  2023-11-14T22:13:20.000Z  isr_changed  orders[0]  from=1,2,3 to=1,2`; without a line break, whatever it holds. */
export function shownEvent(event: WatchedEvent): string {
  const { number, time_ms: timeMs, kind, broker_id: brokerId, topic, partition, ...facts } = event;
  const time = timeMs <= DATE_MS_MAX ? new Date(timeMs).toISOString() : String(timeMs);
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${shownValue(value)}`);
  return [number, time, kind, shownPlace(topic, partition, brokerId), ...shown].join(" ");
}

function shownPlace(
  topic: string | undefined,
  partition: number | undefined,
  brokerId: number | undefined,
): string {
  const broker = brokerId === undefined ? "" : `@${brokerId}`;
  if (topic === undefined) return broker === "" ? "-" : broker;
  return `${topic}${partition === undefined ? "" : `[${partition}]`}${broker}`;
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return /^[!-~]+$/.test(value) ? value : JSON.stringify(value);
  if (Array.isArray(value) && value.every((item) => typeof item === "number"))
    return value.length === 0 ? "-" : value.join(",");
  return JSON.stringify(value);
}
