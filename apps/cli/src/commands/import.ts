/** `import`: topics of another cluster of Kafka's, with what groups have committed there. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { parseCluster } from "../kafka-cluster/cluster-address.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";
import { TRANSFER_NOTE } from "./export.ts";
import { addTransferOptions, copying } from "./transfer-options.ts";

export function declareImport(program: Command, perform: Perform): void {
  const command = program
    .command("import")
    .summary("copy topics of another cluster of Kafka's to the broker, with groups' offsets")
    .description(
      "Copies topics of a cluster of Kafka's to the broker: their records, settings, and what groups have committed of them. " +
        "The broker needs a port for Kafka's clients (--kafka-port).",
    )
    .argument("<topic...>", "the topics' names")
    .requiredOption(
      "--from <cluster>",
      "kafka://host:port[,host:port…], where they are copied from",
      parseCluster,
    )
    .option("--to <cluster>", "kafka://…, instead of the broker", parseCluster)
    .action(copying(perform, "source"));
  addSharedOptions(addTransferOptions(command)).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli import orders --from kafka://kafka1:9092",
        "minikafka-cli import orders --from kafka://kafka1:9092 --groups all --force",
        "minikafka-cli import orders --from kafka://kafka1:9092 --as orders-of-today --dry-run",
      ],
      TRANSFER_NOTE,
    ),
  );
}
