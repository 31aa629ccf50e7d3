/** Why the broker acknowledges nothing, from what it says of itself. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Session } from "../session.ts";
import type { ProduceOptions } from "./produce-options.ts";

type Placement = Pick<
  ParsedResponse<"metadata">["partitions"][number],
  "partition" | "leader_id" | "replicas" | "isr"
>;

export interface StallFacts {
  readonly topic: string;
  readonly mode: "auto" | "manual";
  /** Those that the records may go to. */
  readonly partitions: readonly Placement[];
  readonly waitsForAll: boolean;
}

/** Asks the broker, which may be what is silent: then that is the reason. Never rejects. */
export async function askForReason(
  session: Session,
  topic: string,
  { partition, acks, idempotent, transactionalId }: ProduceOptions,
): Promise<string> {
  try {
    const [{ mode }, { partitions }] = await Promise.all([
      session.call("describe_cluster", {}),
      session.call("metadata", { topic }),
    ]);
    const meant =
      partition === undefined ? partitions : partitions.filter((one) => one.partition === partition);
    return stallReason({
      topic,
      mode,
      partitions: meant,
      waitsForAll: acks === "all" || idempotent === true || transactionalId !== undefined,
    });
  } catch {
    return "the broker does not answer";
  }
}

/** One clause without a full stop. */
export function stallReason({ topic, mode, partitions, waitsForAll }: StallFacts): string {
  const names = (some: readonly Placement[]) =>
    some.map(({ partition }) => `${topic}-${partition}`).join(", ");
  const leaderless = partitions.filter((placement) => placement.leader_id === null);
  if (leaderless.length > 0)
    return `${names(leaderless)} ${leaderless.length === 1 ? "has" : "have"} no leader`;
  const copied = partitions.filter(({ replicas }) => replicas.length > 1);
  if (waitsForAll && mode === "manual" && copied.length > 0)
    return `under the manual clock followers copy only at minikafka-cli step replicate ${topic}, from another terminal`;
  const lacking = copied.filter(({ isr, replicas }) => isr.length < replicas.length);
  if (waitsForAll && lacking.length > 0)
    return `in sync are ${lacking.map(({ partition, isr, replicas }) => `${isr.length} of ${replicas.length} replicas of ${topic}-${partition}`).join(", ")}`;
  return "nothing was acknowledged yet";
}
