/** `metrics`: what the broker counts and measures, off its HTTP port. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { type BrokerAddress, HTTP_PORT, parseHttp } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE = `\
The broker tells them where it was started with --http-port ${HTTP_PORT}, and counts from then on. A name is a metric's, or how some begin.
Those of groups are there once there is a group. docs/http.md says what each one is. LABELS say of what: broker_id=1,topic=orders.`;

interface Given {
  readonly http?: BrokerAddress;
  readonly prom?: true;
}

export function declareMetrics(program: Command, perform: Perform): void {
  const command = program
    .command("metrics")
    .summary("show what the broker counts and measures")
    .description(
      "Shows the broker's metrics, which it tells on its HTTP port: all, or those whose names are given.",
    )
    .argument("[name...]", "a metric's name, or how it begins")
    .option(
      "--http <host:port>",
      "where that port is, if it is not reached at the broker's host (default: as the broker says)",
      parseHttp,
    )
    .option("--prom", "print them as they came, in Prometheus's text format")
    .action((names: string[], { http, prom }: Given, self: Command) =>
      perform(self, async (context) => {
        if (prom === true && context.settings.json)
          throw new CliError("USAGE", "-J and --prom exclude each other");
        // Of a variable that is not set: each name begins so.
        if (names.includes("")) throw new CliError("USAGE", "a name is empty; without names all are shown");
        const { showMetrics } = await import("../metrics/metrics.ts");
        return showMetrics(context, { names, http: http ?? null, prom: prom === true });
      }),
    );
  const shown = [
    "minikafka-cli metrics",
    "minikafka-cli metrics kafka_topic_partition kafka_server_replicamanager",
    "minikafka-cli metrics kafka_topic_partition_current_offset -J | jq '.metrics[0].samples'",
    `minikafka-cli metrics --prom --http 127.0.0.1:${HTTP_PORT}`,
  ];
  addSharedOptions(command).addHelpText("after", examples(shown, NOTE));
}
