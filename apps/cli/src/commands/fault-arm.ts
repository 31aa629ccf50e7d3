/** `fault arm`: where something fails, what it does, how often, and whom it concerns. */
import type { FaultTimesField, RequestFields } from "@minikafka/protocol";
import { nearest } from "@minikafka/record";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context, Perform } from "../context.ts";
import { CliError, failureOf } from "../failure.ts";
import { armRefusal } from "../faults/arm-refusal.ts";
import { actionText, scopeText, timesText } from "../faults/fault-text.ts";
import { parseDuration, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface ArmOptions {
  readonly once?: true;
  readonly always?: true;
  readonly nth?: number;
  readonly first?: number;
  readonly probability?: number;
  readonly seed?: number;
  readonly code?: string;
  readonly errno?: string;
  readonly bytesWritten?: number;
  readonly delay?: number;
  readonly topic?: string;
  readonly partition?: number;
  readonly brokerId?: number;
  readonly group?: string;
  readonly transactionalId?: string;
}

type Order = RequestFields<"arm_fault">;
type Action = Order["action"];

const ACTIONS: readonly Action[] = ["error", "delay", "hold", "drop_answer", "close", "close_after", "crash"];

const NOTE =
  "error: it is not done, and fails. delay, hold: it is done later. drop-answer: it is done, and never answered. close: the\n" +
  "connection is closed, and it is not done. close-after: it is done, and the connection closed in place of the answer. crash: the\n" +
  "broker's process dies. minikafka-cli fault points says which of them a point takes. A hit is a pass of the point within the\n" +
  "scope, counted from 1 since the fault was armed; what acts and what has not is told by fault list and fault assert.";

export function declareArm(fault: Command, perform: Perform): void {
  const command = fault
    .command("arm")
    .summary("have something fail, wait or die on purpose")
    .description(
      "Has something fail, wait or die at a point: request.OPERATION, which is the way of a request before it takes effect, kafka.API, " +
        "the same of Kafka's clients, or a named point of the kernel.",
    )
    .argument("<point>", "where; fault points lists them")
    .argument("<action>", ACTIONS.map((action) => action.replaceAll("_", "-")).join(", "), parseAction)
    .optionsGroup("How often:")
    .addOption(oneOf("--once", "at the first hit (default)"))
    .addOption(oneOf("--nth <n>", "at the nth hit alone").argParser(wholeNumber(1)))
    .addOption(oneOf("--first <n>", "at the first n hits").argParser(wholeNumber(1)))
    .addOption(oneOf("--always", "at each hit"))
    .addOption(oneOf("--probability <p>", "at each hit with this chance").argParser(parseProbability))
    .option("--seed <s>", "the same seed draws the same hits (default: 1)", wholeNumber(0))
    .optionsGroup("What it does:")
    .option(
      "--code <code>",
      "with error at a request: the answer's code, such as NOT_ENOUGH_REPLICAS; at one of Kafka's any of Kafka's names as well",
    )
    .option("--errno <errno>", "with error in the kernel: EIO or ENOSPC (default: EIO)")
    .option("--bytes-written <n>", "with error where bytes are written: so many are", wholeNumber(0))
    .option("--delay <duration>", "with delay: for how long, on the broker's clock", parseDuration)
    .optionsGroup("Whom it concerns:")
    .option("-t, --topic <topic>", "only this topic")
    .option("-p, --partition <n>", "only the partition of this number", wholeNumber(0))
    .option("--broker-id <id>", "only this broker", wholeNumber(0))
    .option("-g, --group <group>", "only requests of this group")
    .option("--transactional-id <id>", "only requests of this transactional id")
    .action((point: string, action: Action, options: ArmOptions, self: Command) =>
      perform(self, (context) => arm(context, orderOf(point, action, options)), {
        topic: options.topic,
        group: options.group,
      }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli fault arm request.produce error --code NOT_ENOUGH_REPLICAS",
        "minikafka-cli fault arm request.fetch delay --delay 2s --always -t orders",
        "minikafka-cli fault arm kafka.Produce error --code NOT_LEADER_OR_FOLLOWER -t orders",
        "minikafka-cli fault arm log.flush.before_sync crash --nth 3",
      ],
      NOTE,
    ),
  );
}

const TIMES = ["once", "nth", "first", "always", "probability"];

/** One of several that exclude one another. */
function oneOf(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.conflicts(TIMES.filter((name) => name !== option.attributeName()));
}

function parseAction(text: string): Action {
  const named = text.replaceAll("-", "_");
  const action = ACTIONS.find((each) => each === named);
  if (action !== undefined) return action;
  const names = ACTIONS.map((each) => each.replaceAll("_", "-"));
  const meant = nearest(text, names);
  const hint = meant === null ? "" : `\n(Did you mean ${meant}?)`;
  throw new InvalidArgumentError(`Expected ${names.slice(0, -1).join(", ")} or ${names.at(-1)}.${hint}`);
}

function parseProbability(text: string): number {
  const probability = Number(text);
  if (/^\d*\.?\d+$/.test(text) && probability > 0 && probability <= 1) return probability;
  throw new InvalidArgumentError("Expected a chance above 0 and at most 1, such as 0.25.");
}

function orderOf(point: string, action: Action, options: ArmOptions): Order {
  return {
    point,
    action,
    times: timesOf(options),
    // What they may be is the broker's to say, as it is for everything else.
    code: options.code as Order["code"],
    errno: options.errno as Order["errno"],
    bytes_written: options.bytesWritten,
    delay_ms: options.delay,
    topic: options.topic,
    partition: options.partition,
    broker_id: options.brokerId,
    group_id: options.group,
    transactional_id: options.transactionalId,
  };
}

function timesOf({ always, nth, first, probability, seed }: ArmOptions): FaultTimesField {
  if (seed !== undefined && probability === undefined)
    throw new CliError("USAGE", "--seed goes with --probability");
  if (always === true) return "always";
  if (nth !== undefined) return { nth };
  if (first !== undefined) return { first };
  return probability === undefined ? "once" : { probability, seed: seed ?? 1 };
}

function arm(context: Context, order: Order): Promise<undefined> {
  return withSession(context, async (session) => {
    const id = await armed(session, order);
    if (context.settings.json) await context.data.json({ rule_id: id });
    else {
      const scope = scopeText(order);
      const bounds = scope === null ? "" : ` for ${scope}`;
      await context.data.line(
        `armed fault ${id}: ${actionText(order)} at ${order.point}, ${timesText(order)}${bounds}`,
      );
    }
    return undefined;
  });
}

/** Its number. Throws what the broker does, in the words of this command. */
async function armed(session: Session, order: Order): Promise<number> {
  try {
    return (await session.call("arm_fault", order)).rule_id;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== "INVALID_REQUEST") throw error;
    throw armRefusal(failure);
  }
}
