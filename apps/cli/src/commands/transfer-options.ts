/** What `export` and `import` share: their options, and that both copy. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { parseCompression, wholeNumber } from "../input/arguments.ts";
import type { TransferOptions } from "../transfer/transfer-options.ts";

export function addTransferOptions(command: Command): Command {
  return command
    .option("--as <name>", "what the copy is called; for one topic (default: as it is called here)")
    .addOption(
      new Option("--create <when>", "whether a topic that is missing in the target is made there")
        .choices(["if-missing", "no"])
        .default("if-missing"),
    )
    .option("--replicas <n>", "of a topic that is made (default: what the target gives)", wholeNumber(1))
    .option("--append", "begin behind what the copy's topic holds already")
    .option(
      "--groups <group>",
      "carry over what these groups have committed; all: of every group; repeatable",
      collectGroups,
    )
    .option(
      "--force",
      "also of groups that have members, and also where that sets a group back in the target",
    )
    .option("--follow", "go on with what comes, until Ctrl-C")
    .option("--dry-run", "say what would be copied, and change nothing")
    .option("-z, --compression <codec>", "none, gzip, snappy, lz4 or zstd (default: none)", parseCompression)
    .option(
      "--state <folder>",
      "where is kept how far it came, for one pair of clusters (default: in ~/.minikafka/transfers)",
    )
    .option(
      "--kafka-config <file>",
      "client.properties of Kafka's for the other cluster: security.protocol, sasl.*",
    );
}

function collectGroups(text: string, before: readonly string[] = []): string[] {
  const names = text.split(",");
  if (names.includes("")) throw new InvalidArgumentError("Expected a group's name, or several with commas.");
  return [...before, ...names];
}

/** What the command does. `remote` is the side that is not the broker's own. */
export function copying(perform: Perform, remote: "source" | "target") {
  return (topics: string[], options: Partial<TransferOptions>, self: Command): Promise<void> =>
    perform(
      self,
      async (context) => {
        const wanted = transferOptions(topics, options);
        const { transfer } = await import("../transfer/transfer.ts");
        return transfer(context, topics, wanted, remote);
      },
      { topic: topics[0], group: options.groups?.[0] },
    );
}

/** As topics are called here and in Kafka (Topic.validate): what is none could lead out of the folder of the state. */
const TOPIC_NAME = /^(?!\.{1,2}$)[\w.-]{1,249}$/;

/** As commander has them. Throws USAGE, and INVALID_TOPIC for what no topic can be called, before anybody is asked. */
function transferOptions(topics: readonly string[], given: Partial<TransferOptions>): TransferOptions {
  if (new Set(topics).size < topics.length) throw new CliError("USAGE", "a topic is named twice");
  if (given.as !== undefined && topics.length > 1)
    throw new CliError("USAGE", "--as is for one topic", { hint: "run the command once for each topic" });
  if (given.state === "")
    throw new CliError("USAGE", "--state is empty; expected a folder", {
      hint: "leave --state out for ~/.minikafka/transfers",
    });
  const copy = given.as === undefined ? [] : [["--as ", given.as] as const];
  for (const [option, name] of [...topics.map((topic) => ["", topic] as const), ...copy])
    if (!TOPIC_NAME.test(name))
      throw new CliError("INVALID_TOPIC", `${option}${JSON.stringify(name)} is no name of a topic`);
  return { create: "if-missing", compression: "none", ...given };
}
