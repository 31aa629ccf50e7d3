/** What `topics describe` and `describe` show of a topic: a row for each partition, as its leader sees it. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Context } from "./context.ts";
import { type Cell, renderTable } from "./output/table.ts";
import type { Session } from "./session.ts";

type Placement = ParsedResponse<"metadata">["partitions"][number];
type Inside = ParsedResponse<"describe_partition">;

/** `problem`: why it cannot be used, or only partly be shown; one partition that is off line spoils no other's row. */
export interface PartitionView {
  readonly placement: Placement;
  readonly inside: Inside;
  readonly problem: string | null;
}

const HEADERS = [
  "TOPIC",
  "PARTITION",
  "LEADER",
  "EPOCH",
  "REPLICAS",
  "ISR",
  "LOG-START",
  "LAST-STABLE",
  "HIGH-WATERMARK",
  "LOG-END",
];

/** Prints the topics: one table, or one document of all. Throws UNKNOWN_TOPIC before anything is printed. */
export async function describeTopics(
  context: Context,
  session: Session,
  topics: readonly string[],
): Promise<void> {
  const views = await Promise.all(topics.map((topic) => viewsOf(session, topic)));
  if (context.settings.json) {
    const documents = topics.map((topic, index) => ({
      topic,
      partitions: (views[index] ?? []).map(documentOf),
    }));
    await context.data.json({ topics: documents });
    return;
  }
  const rows = topics.flatMap((topic, index) => (views[index] ?? []).map((view) => rowOf(topic, view)));
  await context.data.write(renderTable(HEADERS, rows));
  for (const [index, topic] of topics.entries()) {
    for (const { placement, problem } of views[index] ?? []) {
      if (problem !== null) context.notes.remark(`${topic} [${placement.partition}]: ${problem}`);
    }
  }
}

/** Each partition with what its leader knows; or, while nobody leads it, with what else is known of it, and why. */
export async function viewsOf(session: Session, topic: string): Promise<PartitionView[]> {
  const { partitions } = await session.call("metadata", { topic });
  return Promise.all(
    partitions.map(async (placement): Promise<PartitionView> => {
      const inside = await session.call("describe_partition", { topic, partition: placement.partition });
      return { placement, inside, problem: problemOf(inside) };
    }),
  );
}

/** What is in the way of a partition without a leader; `null` when somebody leads it. */
function problemOf({ leader_id, replicas }: Inside): string | null {
  if (leader_id !== null) return null;
  const reasons = replicas.flatMap(({ broker_id, problem }) =>
    problem === null ? [] : [`replica ${broker_id}: ${problem}`],
  );
  return ["nobody leads it", ...reasons].join("; ");
}

function rowOf(topic: string, { placement, inside }: PartitionView): Cell[] {
  return [
    topic,
    placement.partition,
    placement.leader_id,
    placement.leader_epoch,
    placement.replicas.join(","),
    placement.isr.join(","),
    inside.log_start_offset,
    inside.last_stable_offset,
    inside.high_watermark,
    inside.log_end_offset,
  ];
}

function documentOf({ placement, inside, problem }: PartitionView): object {
  return {
    ...placement,
    log_start_offset: inside.log_start_offset,
    last_stable_offset: inside.last_stable_offset,
    high_watermark: inside.high_watermark,
    log_end_offset: inside.log_end_offset,
    ...(problem === null ? {} : { problem }),
  };
}
