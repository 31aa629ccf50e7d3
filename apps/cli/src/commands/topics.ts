/** `topics`: what there is, what it looks like inside and goes by, make one, drop one. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { DRY_RUN_HELP, showTopicDeletion } from "../deletions/dry-run.ts";
import { whenThere } from "../deletions/when-there.ts";
import { CliError, failureOf } from "../failure.ts";
import { collectConfig, type TopicConfig, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";
import { describeTopics } from "../topic-description.ts";
import { declareGrow } from "./grow.ts";
import { declareTopicConfig } from "./topic-config.ts";
import { declareTopicOffsets } from "./topic-offsets.ts";
import { declareTrim } from "./trim.ts";

interface CreateOptions {
  readonly partitions: number;
  readonly replicas: number;
  readonly config?: TopicConfig;
  readonly ifNotExists?: true;
}

interface DeleteOptions {
  readonly ifExists?: true;
  readonly dryRun?: true;
}

export function declareTopics(program: Command, perform: Perform): void {
  const topics = program
    .command("topics")
    .alias("topic")
    .summary("create, list, describe, alter, grow, trim and delete topics")
    .description("Topics: what there is, what each looks like inside and goes by, make one, drop one.");
  declareCreate(topics, perform);
  declareList(topics, perform);
  declareDescribe(topics, perform);
  declareTopicConfig(topics, perform);
  declareTopicOffsets(topics, perform);
  declareGrow(topics, perform);
  declareTrim(topics, perform);
  declareDelete(topics, perform);
  addSharedOptions(topics);
}

function declareCreate(topics: Command, perform: Perform): void {
  const command = topics
    .command("create")
    .summary("make topics")
    .description("Creates topics. Once it says so, they survive a crash and can be produced to.")
    .argument("<topic...>", "the names")
    .option("-p, --partitions <n>", "how many partitions each", wholeNumber(1), 1)
    .option("-r, --replicas <n>", "how many copies of each partition", wholeNumber(1), 1)
    .option("-c, --config <name=value>", "a setting of the topic; repeat it for more", collectConfig)
    .option("--if-not-exists", "succeed when the topic is there already, whatever its partitions")
    .action((names: string[], options: CreateOptions, self: Command) =>
      perform(self, (context) => create(context, names, options), names[0]),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples([
      "minikafka-cli topics create orders -p 2",
      "minikafka-cli topics create orders payments -p 6 --if-not-exists",
      "minikafka-cli topics create profiles -c cleanup_policy=compact",
    ]),
  );
}

function declareList(topics: Command, perform: Perform): void {
  const command = topics
    .command("list")
    .summary("list the topics by name")
    .alias("ls")
    .description("Lists the topics by name.")
    .action((_options: unknown, self: Command) => perform(self, list));
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli topics list", "minikafka-cli topics list -J | jq -r '.topics[].topic'"]),
  );
}

function declareDescribe(topics: Command, perform: Perform): void {
  const command = topics
    .command("describe")
    .summary("show each partition of topics, of all when none is named")
    .description("Shows each partition of the topics, of all topics when none is named.")
    .argument("[topic...]", "the names")
    .action((names: string[], _options: unknown, self: Command) =>
      perform(self, (context) => describe(context, names), names[0]),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli topics describe orders", "minikafka-cli topics describe -J"],
      "A log holds the offsets from LOG-START to below LOG-END; consumers see those below HIGH-WATERMARK, with\n" +
        "--isolation read_committed those below LAST-STABLE, where the oldest open transaction begins. Markers, which end\n" +
        "transactions, take an offset each and are no records.",
    ),
  );
}

function declareDelete(topics: Command, perform: Perform): void {
  const command = topics
    .command("delete")
    .summary("delete topics with all their records")
    .alias("rm")
    .description("Deletes topics with all their records.")
    .argument("<topic...>", "the names")
    .option("--if-exists", "succeed for those that are not there")
    .option("--dry-run", DRY_RUN_HELP)
    .action((names: string[], options: DeleteOptions, self: Command) =>
      perform(self, (context) => remove(context, names, options)),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples([
      "minikafka-cli topics delete orders --dry-run",
      "minikafka-cli topics delete orders",
      "minikafka-cli topics delete orders payments --if-exists",
    ]),
  );
}

function create(context: Context, names: readonly string[], options: CreateOptions): Promise<undefined> {
  return withSession(context, async (session) => {
    for (const topic of names) {
      const created = await createdNow(session, topic, options);
      const { partitions, replicas } = options;
      if (context.settings.json) {
        await context.data.json(
          created ? { topic, created, partitions, replication_factor: replicas } : { topic, created },
        );
      } else {
        await context.data.line(
          created
            ? `created topic ${topic}, partitions ${partitions}, replicas ${replicas}`
            : `topic ${topic} exists`,
        );
      }
    }
    return undefined;
  });
}

/** False when the topic was there and that is welcome. */
async function createdNow(session: Session, topic: string, options: CreateOptions): Promise<boolean> {
  try {
    await session.call("create_topic", {
      topic,
      partitions: options.partitions,
      replication_factor: options.replicas,
      ...(options.config === undefined ? {} : { config: options.config }),
    });
    return true;
  } catch (error) {
    if (options.ifNotExists === true && failureOf(error).code === "TOPIC_ALREADY_EXISTS") return false;
    throw error;
  }
}

function list(context: Context): Promise<undefined> {
  return withSession(context, async (session) => {
    const { topics } = await session.call("list_topics", {});
    if (context.settings.json) {
      await context.data.json({ topics });
      return undefined;
    }
    const rows = topics.map(({ topic, partitions, replication_factor }) => [
      topic,
      partitions,
      replication_factor,
    ]);
    await context.data.write(renderTable(["TOPIC", "PARTITIONS", "REPLICAS"], rows));
    if (rows.length === 0)
      context.notes.remark("no topics yet; make one with: minikafka-cli topics create NAME -p 1");
    return undefined;
  });
}

function describe(context: Context, names: readonly string[]): Promise<undefined> {
  return withSession(context, async (session) => {
    const wanted =
      names.length > 0 ? names : (await session.call("list_topics", {})).topics.map((listed) => listed.topic);
    await describeTopics(context, session, wanted);
    return undefined;
  });
}

function remove(context: Context, names: readonly string[], options: DeleteOptions): Promise<undefined> {
  if (new Set(names).size < names.length) throw new CliError("USAGE", "a topic is named twice");
  return withSession(context, async (session) => {
    const act = options.dryRun === true ? showTopicDeletion : removeOne;
    for (const topic of names) {
      if (await whenThere(options, "UNKNOWN_TOPIC", () => act(context, session, topic))) continue;
      if (context.settings.json) await context.data.json({ topic, deleted: false });
      else await context.data.line(`there is no topic ${topic}`);
    }
    return undefined;
  });
}

async function removeOne(context: Context, session: Session, topic: string): Promise<void> {
  await session.call("delete_topic", { topic });
  if (context.settings.json) await context.data.json({ topic, deleted: true });
  else await context.data.line(`deleted topic ${topic}`);
}
