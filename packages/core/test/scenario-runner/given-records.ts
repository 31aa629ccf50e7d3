/** A record as `produce` makes it of text, and the partition that it goes to. */
import { crc32 } from "node:zlib";
import type { Record as LogRecord } from "@minikafka/record";
import type { Given } from "./command-line.ts";
import type { Stage } from "./stage.ts";

/** The time of a record is the broker's, so that it means something with a clock that is moved by hand. */
export function recordOf(stage: Stage, given: Given, text: string): LogRecord {
  const delimiter = given.text("key-delimiter");
  const [key, value] = delimiter === undefined ? [given.text("key") ?? null, text] : splitAt(text, delimiter);
  const isNull = value === "" && given.has("null");
  return {
    key: key === null ? null : Buffer.from(key),
    value: isNull ? null : Buffer.from(value),
    timestampMs: stage.clock.nowMs(),
    headers: [],
  };
}

function splitAt(text: string, delimiter: string): [string, string] {
  const at = text.indexOf(delimiter);
  if (at < 0) throw new Error(`${text} has no ${delimiter}`);
  return [text.slice(0, at), text.slice(at + delimiter.length)];
}

/** Where the SDK's partitioner puts it. */
export function partitionOf(stage: Stage, given: Given, key: Uint8Array | null): number {
  const named = given.number("partition");
  if (named !== undefined || key === null) return named ?? 0;
  return crc32(key) % partitionsOf(stage, given.required("topic")).length;
}

export function partitionsOf(stage: Stage, topic: string): number[] {
  return Array.from({ length: stage.cluster.describeTopic(topic).partitions }, (_, partition) => partition);
}
