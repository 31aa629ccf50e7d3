/** `topics config` and `topics alter`: what a topic goes by, and how that is changed. */
import type { ParsedResponse } from "@minikafka/protocol";
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { collectConfig, collectUnset, type TopicConfig } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface AlterOptions {
  readonly config?: TopicConfig;
  readonly unset?: readonly string[];
}

export function declareTopicConfig(topics: Command, perform: Perform): void {
  const config = topics
    .command("config")
    .summary("show every setting of a topic")
    .description("Shows every setting of a topic: its value, and whether the topic says so itself.")
    .argument("<topic>", "the name")
    .option("--overrides", "only those that the topic says itself")
    .action((topic: string, { overrides }: { readonly overrides?: true }, self: Command) =>
      perform(
        self,
        (context) =>
          withSession(context, (session) =>
            show(context, session, topic, ({ source }) => overrides !== true || source === "topic"),
          ),
        topic,
      ),
    );
  const alter = topics
    .command("alter")
    .summary("change settings of a topic, at once")
    .description(
      "Changes settings of a topic, all that are named or none. They hold at once, and survive a crash.",
    )
    .argument("<topic>", "the name")
    .option("-c, --config <name=value>", "a new value; repeat it for more", collectConfig)
    .option("--unset <name>", "go back to the default; repeat it for more", collectUnset)
    .action((topic: string, options: AlterOptions, self: Command) =>
      perform(self, (context) => alterTopic(context, topic, options), topic),
    );
  const shown = [
    "minikafka-cli topics config orders",
    "minikafka-cli topics config orders --overrides",
    "minikafka-cli topics config orders -J | jq '.config[] | select(.source == \"topic\")'",
    "minikafka-cli topics alter orders -c retention_ms=1h -c cleanup_policy=compact,delete",
    "minikafka-cli topics alter orders --unset retention_ms",
  ];
  const of = (name: string) => shown.filter((example) => example.startsWith(`minikafka-cli topics ${name} `));
  for (const command of [config, alter])
    addSharedOptions(command).addHelpText("after", examples(of(command.name())));
}

function alterTopic(context: Context, topic: string, options: AlterOptions): Promise<undefined> {
  const { config = {}, unset = [] } = options;
  if (Object.keys(config).length === 0 && unset.length === 0)
    throw new CliError("USAGE", "nothing to change; give -c name=value or --unset name");
  const twice = unset.find((name) => Object.hasOwn(config, name));
  if (twice !== undefined) throw new CliError("USAGE", `${twice} is given a value and unset as well`);
  const changes = { ...config, ...Object.fromEntries(unset.map((name) => [name, null])) };
  return withSession(context, async (session) => {
    await session.call("alter_config", { topic, config: changes });
    return show(context, session, topic, ({ name }) => Object.hasOwn(changes, name));
  });
}

type Setting = ParsedResponse<"describe_config">["config"][number];

async function show(
  context: Context,
  session: Session,
  topic: string,
  isWanted: (setting: Setting) => boolean,
): Promise<undefined> {
  const described = await session.call("describe_config", { topic });
  const config = described.config.filter(isWanted);
  if (context.settings.json) {
    await context.data.json({ ...described, config });
    return undefined;
  }
  if (config.length === 0) context.notes.remark(`${topic} has the defaults alone`);
  const rows = config.map(({ name, value, source, meaning }) => [name, value, source, meaning]);
  await context.data.write(renderTable(["SETTING", "VALUE", "SOURCE", "MEANING"], rows));
  return undefined;
}
