/** `groups wait`: until a group is as it should be. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Perform } from "../context.ts";
import type { GroupState, WaitOptions } from "../groups/wait.ts";
import { wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE =
  "What is named must hold at once; with nothing named it waits for the state stable. A group that is not there yet is waited\n" +
  "for. Drained: the group has partitions, and everything in them that can be read now is committed; an offset past\n" +
  "the end does not count, since the next read resets. Of a group of Kafka's clients: preparing_rebalance while its members\n" +
  "are to join again, completing_rebalance until their leader has assigned; reconciling is one of the SDK's groups.\n" +
  "When --timeout is over the command says what is missing, with\n" +
  "exit code 4.";

/** All that a group of either kind may be in. */
const STATES: readonly GroupState[] = [
  "stable",
  "reconciling",
  "preparing_rebalance",
  "completing_rebalance",
  "empty",
];

/** Also with dashes, as an action of a fault is. */
function parseState(text: string): GroupState {
  const state = STATES.find((each) => each === text.replaceAll("-", "_"));
  if (state !== undefined) return state;
  throw new InvalidArgumentError(`Allowed choices are ${STATES.join(", ")}.`);
}

export function declareWait(groups: Command, perform: Perform): void {
  const command = groups
    .command("wait")
    .summary("wait until a group is in a state, has so many members, or has read everything")
    .description("Waits until a group is in a state, has so many members, or has read everything.")
    .argument("<group>", "the name")
    .addOption(
      new Option("--state <state>", "stable: each partition is with the member that it is meant for")
        .choices(STATES)
        .argParser(parseState),
    )
    .option("--members <n>", "it has so many members", wholeNumber(0))
    .option("--drained", "it has committed up to the end of every partition that it reads")
    .action((group: string, options: WaitOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const { waitForGroup } = await import("../groups/wait.ts");
          return waitForGroup(context, group, options);
        },
        { group },
      ),
    );
  addSharedOptions(command, { timeout: "how long the whole wait may take (default: 30s)" }).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli groups wait billing --members 2 --state stable",
        "minikafka-cli groups wait billing --drained --timeout 1m",
      ],
      NOTE,
    ),
  );
}
