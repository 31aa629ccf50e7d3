/** Partitions that a command names, or that a group has committed to, with what is committed. */
import type { ParsedResponse } from "@minikafka/protocol";
import { CliError } from "../failure.ts";
import type { PartitionSpec } from "../input/partition-spec.ts";
import type { Session } from "../session.ts";

export type CommittedPlace = ParsedResponse<"fetch_offsets">["offsets"][number];

/** Of those named, one entry each, also where nothing is committed. Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
export async function committedPlaces(
  session: Session,
  group: string,
  specs: readonly PartitionSpec[] | undefined,
): Promise<readonly CommittedPlace[]> {
  if (specs === undefined) return (await session.call("fetch_offsets", { group_id: group })).offsets;
  const partitions = await placesNamed(session, specs);
  return (await session.call("fetch_offsets", { group_id: group, partitions })).offsets;
}

/** Throws UNKNOWN_TOPIC, UNKNOWN_PARTITION. */
export async function placesNamed(
  session: Session,
  specs: readonly PartitionSpec[],
): Promise<{ readonly topic: string; readonly partition: number }[]> {
  return (await Promise.all(specs.map((spec) => placesOf(session, spec)))).flat();
}

async function placesOf(session: Session, { topic, partitions }: PartitionSpec) {
  const there = (await session.call("metadata", { topic })).partitions.map(({ partition }) => partition);
  const missing = partitions?.find((partition) => !there.includes(partition));
  if (missing !== undefined) {
    const message = `there is no partition ${missing} in "${topic}"; expected 0 to ${there.length - 1}`;
    throw new CliError("UNKNOWN_PARTITION", message, { details: { topic, partition: missing } });
  }
  return (partitions ?? there).map((partition) => ({ topic, partition }));
}
