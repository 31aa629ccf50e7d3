/** `describe`: the cluster, a topic, or all that is known of one partition. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { brokerText, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { renderFacts, renderTable } from "../output/table.ts";
import { showPartition } from "../partition-description.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { describeTopics } from "../topic-description.ts";

interface DescribeOptions {
  readonly partition?: number;
}

export function declareDescribe(program: Command, perform: Perform): void {
  const command = program
    .command("describe")
    .summary("show the cluster, a topic, or one partition from the inside")
    .description(
      "Shows the cluster. With TOPIC, that topic's partitions, as `topics describe` does. With TOPIC and -p, all that the " +
        "partition's leader knows: marks, replicas, segments, leader epochs.",
    )
    .argument("[topic]", "the topic's name")
    .option("-p, --partition <n>", "one partition of the topic", wholeNumber(0))
    .action((topic: string | undefined, options: DescribeOptions, self: Command) =>
      perform(self, (context) => describe(context, topic, options.partition), topic),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples([
      "minikafka-cli describe",
      "minikafka-cli describe orders",
      "minikafka-cli describe orders -p 1",
      "minikafka-cli describe orders -p 1 -J | jq .segments",
    ]),
  );
}

function describe(
  context: Context,
  topic: string | undefined,
  partition: number | undefined,
): Promise<undefined> {
  if (topic === undefined && partition !== undefined) throw new CliError("USAGE", "-p needs a topic");
  return withSession(context, async (session) => {
    if (topic === undefined) {
      await showCluster(context, await session.call("describe_cluster", {}));
    } else if (partition === undefined) {
      await describeTopics(context, session, [topic]);
    } else {
      await showPartition(context, await session.call("describe_partition", { topic, partition }));
    }
    return undefined;
  });
}

async function showCluster(context: Context, cluster: ParsedResponse<"describe_cluster">): Promise<void> {
  if (context.settings.json) return context.data.json(cluster);
  const facts = renderFacts([
    ["ADDRESS", brokerText(context.settings.broker().address)],
    ["CLUSTER", cluster.cluster_id],
    ["MODE", cluster.lab ? `${cluster.mode}, lab` : cluster.mode],
    ["CLOCK", new Date(cluster.now_ms).toISOString()],
    ["HTTP-PORT", cluster.http_port ?? "none"],
    ["TOPICS", cluster.topics],
    ["PARTITIONS", cluster.partitions],
    ["RECONCILIATION", cluster.dials.reconciliation],
    ["ACK-RULE", cluster.dials.ack_rule],
    ["HW-CHECKPOINT", cluster.dials.high_watermark_checkpoint ? "on" : "off"],
    ["LAG-MAX-OFFSETS", cluster.dials.replica_lag_max_offsets ?? "none"],
    ["DUPLICATE-WINDOW", cluster.dials.duplicate_window],
    ["REBALANCE", cluster.dials.rebalance],
  ]);
  const brokers = renderTable(
    ["BROKER", "STATE", "LEADS", "OFFLINE", "REPLICAS"],
    cluster.brokers.map((broker) => [
      broker.broker_id,
      broker.state,
      broker.partitions,
      broker.offline_partitions,
      broker.replicas,
    ]),
  );
  return context.data.write(`${facts}\n${brokers}`);
}
