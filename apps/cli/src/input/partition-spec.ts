/** Partitions on a command line: `orders`, `orders:1`, `orders:0,2`, and `orders:1=42` with an offset. */
import { InvalidArgumentError } from "commander";

/** Partitions of a topic, ascending; all of them where `null`. */
export interface PartitionSpec {
  readonly topic: string;
  readonly partitions: readonly number[] | null;
}

export interface OffsetAssignment {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** `TOPIC` or `TOPIC:P,P`, repeated. */
export function collectPartitions(
  text: string,
  before: readonly PartitionSpec[] = [],
): readonly PartitionSpec[] {
  const match = /^([^:=]+)(?::(\d{1,9}(?:,\d{1,9})*))?$/.exec(text);
  if (match?.[1] === undefined)
    throw new InvalidArgumentError("Expected TOPIC, TOPIC:PARTITION or TOPIC:PARTITION,PARTITION.");
  const topic = match[1];
  if (before.some((spec) => spec.topic === topic)) throw new InvalidArgumentError(`${topic} is named twice.`);
  const partitions =
    match[2]
      ?.split(",")
      .map(Number)
      .sort((left, right) => left - right) ?? null;
  if (partitions !== null && new Set(partitions).size < partitions.length)
    throw new InvalidArgumentError("A partition is named twice.");
  return [...before, { topic, partitions }];
}

/** `TOPIC:P=OFFSET`, repeated. */
export function collectOffsets(
  text: string,
  before: readonly OffsetAssignment[] = [],
): readonly OffsetAssignment[] {
  const match = /^([^:=]+):(\d{1,9})=(\d{1,16})$/.exec(text);
  const [topic, partition, offset] = [match?.[1], Number(match?.[2]), Number(match?.[3])];
  if (topic === undefined || !Number.isSafeInteger(offset))
    throw new InvalidArgumentError("Expected TOPIC:PARTITION=OFFSET, such as orders:0=42.");
  if (before.some((one) => one.topic === topic && one.partition === partition))
    throw new InvalidArgumentError(`${topic}:${partition} is given twice.`);
  return [...before, { topic, partition, offset }];
}
