/** `api`: which requests of Kafka's protocol a cluster answers, and which it does not. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { type ClusterAddress, parseCluster } from "../kafka-cluster/cluster-address.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
The broker is asked as its clients ask it (ApiVersions), so it needs a port for them (--kafka-port); --kafka asks another cluster, which may
be Apache Kafka. unsupported names what this program's client of Kafka knows and the broker does not list: also what none but brokers
send each other. What is missing here, and why, is in docs/kafka-mapping.md.`;

const SHOWN = [
  "minikafka-cli api versions",
  "minikafka-cli api unsupported",
  "minikafka-cli api versions --kafka kafka://127.0.0.1:9092 -J | jq '.apis[0]'",
];

interface Given {
  readonly kafka?: ClusterAddress;
  readonly kafkaConfig?: string;
}

export function declareApi(program: Command, perform: Perform): void {
  const group = program
    .command("api")
    .summary("show which of Kafka's requests the broker answers")
    .description("Kafka's requests that a broker takes from Kafka's clients.");
  const versions = group
    .command("versions")
    .summary("list them with their versions")
    .description("Lists the requests that the broker answers, each from its lowest to its highest version.")
    .action((given: Given, self: Command) =>
      perform(self, async (context) => {
        const { printVersions } = await import("../kafka-cluster/api-versions.ts");
        return printVersions(context, given);
      }),
    );
  const unsupported = group
    .command("unsupported")
    .summary("list what it does not answer")
    .description("Lists the requests of Kafka's that the broker does not answer.")
    .action((given: Given, self: Command) =>
      perform(self, async (context: Context) => {
        const { printUnsupported } = await import("../kafka-cluster/api-versions.ts");
        return printUnsupported(context, given);
      }),
    );
  for (const command of [versions, unsupported])
    command
      .option("--kafka <cluster>", "kafka://host:port[,host:port…], instead of the broker", parseCluster)
      .option("--kafka-config <file>", "client.properties of Kafka's for it: security.protocol, sasl.*");
  for (const command of [group, versions, unsupported])
    addSharedOptions(command).addHelpText("after", examples(SHOWN, NOTE));
}
