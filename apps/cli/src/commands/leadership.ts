/** `promote`, `rejoin`, `remove-from-isr`: who leads a partition and who is in sync, as far as an operator says so. */
import type { Command } from "commander";
import type { Context, Perform } from "../context.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { type Session, withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly broker_id: number;
}

interface PlaceOptions {
  readonly partition: number;
  readonly unclean?: true;
}

type Act = (context: Context, session: Session, place: Place, options: PlaceOptions) => Promise<void>;

export function declareLeadership(program: Command, perform: Perform): void {
  declare(program, perform, "promote", promote)
    .summary("make another replica of a partition its leader")
    .description(
      "Makes the replica on BROKER the partition's leader, under a new epoch. Nothing is elected: this is the only way to " +
        "another leader. It must be in sync, unless --unclean says that what only others hold may be lost.",
    )
    .option("--unclean", "take a replica that is not in sync")
    .addHelpText("after", examples(["minikafka-cli promote orders 2 -p 0"]));
  declare(program, perform, "rejoin", rejoin)
    .summary("let a replica back in that was taken out, or that is damaged")
    .description(
      "Lets the follower on BROKER back in: it cuts what was never its leader's, fetches once, and is in sync when that was " +
        "enough. A copy that cannot be opened is set aside and fetched anew.",
    )
    .addHelpText("after", examples(["minikafka-cli rejoin orders 1 -p 0"]));
  declare(program, perform, "remove-from-isr", removeFromIsr)
    .summary("take a follower out of the in-sync replicas")
    .description(
      "Takes the follower on BROKER out of the in-sync replicas, until it rejoins. It goes on copying.",
    )
    .addHelpText("after", examples(["minikafka-cli remove-from-isr orders 3 -p 0"]));
}

function declare(program: Command, perform: Perform, name: string, act: Act): Command {
  const command = program
    .command(name)
    .argument("<topic>", "the topic's name")
    .argument("<broker>", "the id of the broker whose replica is meant", wholeNumber(0))
    .option("-p, --partition <n>", "the partition", wholeNumber(0), 0)
    .action((topic: string, brokerId: number, options: PlaceOptions, self: Command) => {
      const place = { topic, partition: options.partition, broker_id: brokerId };
      return perform(
        self,
        (context) => inSession(context, (session) => act(context, session, place, options)),
        topic,
      );
    });
  return addSharedOptions(command);
}

function inSession(context: Context, act: (session: Session) => Promise<void>): Promise<undefined> {
  return withSession(context, async (session) => {
    await act(session);
    return undefined;
  });
}

async function promote(
  context: Context,
  session: Session,
  place: Place,
  options: PlaceOptions,
): Promise<void> {
  const promoted = await session.call("promote", { ...place, unclean: options.unclean === true });
  if (context.settings.json) return context.data.json(promoted);
  const { topic, partition, leader_id, leader_epoch, isr } = promoted;
  return context.data.line(
    `${topic} [${partition}]: leader ${leader_id}, epoch ${leader_epoch}, in sync ${isr.join(",")}`,
  );
}

async function rejoin(context: Context, session: Session, place: Place): Promise<void> {
  const rejoined = await session.call("rejoin", place);
  if (context.settings.json) return context.data.json(rejoined);
  const { topic, partition, broker_id, in_sync, truncated_to, batches } = rejoined;
  const cut = truncated_to === null ? "" : `, cut to ${truncated_to}`;
  const state = in_sync ? "in sync" : "not in sync yet";
  return context.data.line(
    `${topic} [${partition}]: replica ${broker_id} ${state}${cut}, batches copied ${batches}`,
  );
}

async function removeFromIsr(context: Context, session: Session, place: Place): Promise<void> {
  const removed = await session.call("remove_from_isr", place);
  if (context.settings.json) return context.data.json(removed);
  return context.data.line(`${removed.topic} [${removed.partition}]: in sync ${removed.isr.join(",")}`);
}
