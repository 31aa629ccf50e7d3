/** `replicas`: where each copy of a topic's partitions stands. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { timeCell } from "../output/time.ts";
import { inSyncCell } from "../partition-description.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { type PartitionView, viewsOf } from "../topic-description.ts";

interface ReplicasOptions {
  readonly partition?: number;
}

const HEADERS = [
  "PARTITION",
  "EPOCH",
  "REPLICA",
  "ROLE",
  "LOG-END",
  "HIGH-WATERMARK",
  "IN-SYNC",
  "ONLINE",
  "CAUGHT-UP",
];

export function declareReplicas(program: Command, perform: Perform): void {
  const command = program
    .command("replicas")
    .summary("show where each replica of a topic stands")
    .description(
      "Shows each replica of the topic's partitions: where its log ends, and how far it has heard that the partition is " +
        "visible. A follower hears of that with its next fetch, so that it is a round behind its leader.",
    )
    .argument("<topic>", "the topic's name")
    .option("-p, --partition <n>", "one partition of the topic", wholeNumber(0))
    .action((topic: string, options: ReplicasOptions, self: Command) =>
      perform(self, (context) => replicas(context, topic, options.partition), topic),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli replicas orders", "minikafka-cli replicas orders -p 0 -J"]),
  );
}

function replicas(context: Context, topic: string, partition: number | undefined): Promise<undefined> {
  return withSession(context, async (session) => {
    const views = await chosenViews(session, topic, partition);
    if (context.settings.json) {
      await context.data.json({ topic, partitions: views.map(documentOf) });
      return undefined;
    }
    await context.data.write(renderTable(HEADERS, views.flatMap(rowsOf)));
    for (const { placement, inside } of views) {
      const name = `${topic} [${placement.partition}]`;
      if (inside.leader_id === null)
        context.notes.remark(`${name}: nobody leads it, so that IN-SYNC is what its last leader knew`);
      for (const { broker_id, problem } of inside.replicas)
        if (problem !== null) context.notes.remark(`${name} replica ${broker_id}: ${problem}`);
    }
    return undefined;
  });
}

async function chosenViews(
  session: Session,
  topic: string,
  partition: number | undefined,
): Promise<PartitionView[]> {
  const views = await viewsOf(session, topic);
  if (partition === undefined) return views;
  const chosen = views.filter(({ placement }) => placement.partition === partition);
  // The broker's own sentence for a partition that is not there.
  if (chosen.length === 0) await session.call("describe_partition", { topic, partition });
  return chosen;
}

function documentOf({ placement, inside, problem }: PartitionView): object {
  return { ...placement, replicas: inside.replicas, ...(problem === null ? {} : { problem }) };
}

function rowsOf({ placement, inside }: PartitionView): Cell[][] {
  const { partition, leader_id: leaderId, leader_epoch: epoch } = placement;
  return inside.replicas.map((replica) => [
    partition,
    epoch,
    replica.broker_id,
    replica.broker_id === leaderId ? "leader" : "follower",
    replica.log_end_offset,
    replica.high_watermark,
    inSyncCell(replica),
    replica.online ? "yes" : "no",
    timeCell(replica.last_caught_up_ms),
  ]);
}
