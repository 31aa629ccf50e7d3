/** `export`: topics to another cluster of Kafka's, with what groups have committed. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { parseCluster } from "../kafka-cluster/cluster-address.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";
import { addTransferOptions, copying } from "./transfer-options.ts";

export const TRANSFER_NOTE = `\
Records are copied as they are: partition, key, value, headers, time. What a
transaction aborted is left out, so offsets may differ; those that groups have
committed are translated. Where it stopped, the same command goes on: nothing is
lost or doubled, whenever it was ended, as long as nothing else writes to the
copy meanwhile; if something does, or a topic is deleted and made again, it
stops and says so.

-J prints a line for each event: plan, progress, copied, offset.`;

export function declareExport(program: Command, perform: Perform): void {
  const command = program
    .command("export")
    .summary("copy topics to another cluster of Kafka's, with groups' offsets")
    .description(
      "Copies topics to a cluster of Kafka's: their records, settings, and what groups have committed of them. " +
        "The broker needs a port for Kafka's clients (--kafka-port).",
    )
    .argument("<topic...>", "the topics' names")
    .requiredOption(
      "--to <cluster>",
      "kafka://host:port[,host:port…], where they are copied to",
      parseCluster,
    )
    .option("--from <cluster>", "kafka://…, instead of the broker", parseCluster)
    .action(copying(perform, "target"));
  addSharedOptions(addTransferOptions(command)).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli export orders --to kafka://kafka1:9092,kafka2:9092 --dry-run",
        "minikafka-cli export orders --to kafka://kafka1:9092",
        "minikafka-cli export orders payments --to kafka://kafka1:9092 --groups billing",
        "minikafka-cli export orders --to kafka://kafka1:9093 --kafka-config client.properties",
      ],
      TRANSFER_NOTE,
    ),
  );
}
