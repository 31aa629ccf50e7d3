/** The flags of `minikafka-broker`, made from the table of settings, and the settings that they give. */
import { Command, Option } from "commander";
import type { z } from "zod";
import { type ConfigSource, fromEnvironment, fromFile, settingValue } from "./config.ts";
import { flagName, type SettingName, settings, variableName } from "./settings-table.ts";
import { VERSION } from "./version.ts";

const PLACEHOLDERS: { readonly [Name in SettingName]?: string } = {
  data: "DIR",
  host: "ADDRESS",
  start_time: "MS",
  clock: "auto|manual",
  profile: "kafka|original",
  log_level: "LEVEL",
  flush: "ack|interval|os",
  reconciliation: "leader-epoch|high-watermark",
  ack_rule: "high-watermark|captured-isr",
  high_watermark_checkpoint: "true|false",
  rebalance: "barrier|immediate",
  kafka_port: "N|N,N…",
  advertise: "HOST",
  auto_create_topics: "true|false",
};

function flagOf(name: SettingName): Option {
  const long = flagName(name);
  const schema: z.ZodType = settings.shape[name];
  if (name === "lab" || name === "freeze_groups") return new Option(long, schema.description);
  const fallback = schema.safeParse(undefined).data;
  const isRequired = !schema.safeParse(undefined).success;
  const remark = isRequired ? " (required)" : fallback === undefined ? "" : ` (default ${fallback})`;
  const description = `${schema.description}${remark}`;
  return new Option(`${long} <${PLACEHOLDERS[name] ?? "N"}>`, description);
}

const EXAMPLES = `
Every setting can also stand in the file (names as above, with underscores, as a JSON object)
or in the environment (MINIKAFKA_PORT, MINIKAFKA_LOG_LEVEL …); flags go before the environment,
the environment before the file.

When clients can produce, one JSON line is printed: {"msg":"ready","host":…,"port":…,"pid":…,"data":…};
with --kafka-port it has "kafka":[{"broker_id":…,"host":…,"port":…}, …] as well,
with --http-port "http":{"host":…,"port":…}

Examples:
  minikafka-broker --data ./data
  minikafka-broker --data ./data --port 0 --log-level warn
  minikafka-broker --data ./data --brokers 3 --kafka-port 9092
  minikafka-broker --data ./data --http-port 9193
  minikafka-broker --data ./lab --clock manual --start-time 1700000000000

Exit codes: 0 stopped cleanly, 1 unexpected, 2 usage, 3 data folder refused, 4 data folder in use,
5 address unavailable
`;

export function program(): Command {
  const command = new Command("minikafka-broker")
    .description("Kafka's data plane, small enough to trace and real enough to run.")
    .version(VERSION)
    .option("--config <FILE>", "read settings from a JSON file")
    .addHelpText("after", EXAMPLES)
    .allowExcessArguments(false)
    .showHelpAfterError("hint: minikafka-broker --help lists the settings");
  for (const name of Object.keys(settings.shape) as SettingName[]) command.addOption(flagOf(name));
  return command;
}

/** The sources that a parsed command line and an environment give, weakest first. Throws ConfigProblem. */
export function sourcesOf(command: Command, environment: NodeJS.ProcessEnv): ConfigSource[] {
  const flags = command.opts<{ [name: string]: string | boolean }>();
  const given: [string, unknown][] = [];
  for (const name of Object.keys(settings.shape) as SettingName[]) {
    const value = flags[name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase())];
    if (value !== undefined)
      given.push([name, typeof value === "string" ? settingValue(name, value) : value]);
  }
  const path = typeof flags.config === "string" ? flags.config : environment.MINIKAFKA_CONFIG;
  const file = path === undefined || path === "" ? [] : [{ name: path, values: fromFile(path) }];
  return [
    ...file,
    { name: "the environment", values: fromEnvironment(environment), callsIt: variableName },
    { name: "the flags", values: Object.fromEntries(given), callsIt: flagName },
  ];
}
