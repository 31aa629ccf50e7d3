/** `bench groups` and `bench start`: what is measured one by one, a member that joins or a broker that starts. */
import { type Command, InvalidArgumentError } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { type AcksText, parseAcks, parseDuration, wholeNumber } from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions, namesBroker } from "../settings.ts";

const ENDS = (count: string) => `\
It ends at ${count} or --seconds, without either at the defaults of both, whichever comes first; Ctrl-C ends it
sooner, and prints what was measured until then.
The command and the broker share this machine's processors: bench/ in the repository has measurements that set
both apart.`;

const GROUPS_NOTE = `\
Members hear with their next heartbeat that another one has come: unless --heartbeat says otherwise ten times a
second here, where a consumer's own default is every 3 seconds. Each member leaves before the next one joins, which is no
part of its latency. Topic and group are its own, and deleted at the end.
${ENDS("--joins")}`;

const START_NOTE = `\
A start is the start of a process of its own, on an empty folder, up to the first record that is acknowledged:
its topic, the producer's connection and the record are a part of it, the broker's end is not.
${ENDS("--starts")}`;

const JOINS_DEFAULT = 20;
const STARTS_DEFAULT = 10;
const SECONDS_DEFAULT = 30;
const HEARTBEAT_DEFAULT_MS = 100;
/** A third of the longest session. */
const HEARTBEAT_MS_MAX = 1_200_000;
const PARTITIONS_DEFAULT = 12;
/** Each is a connection's worth of heartbeats. */
const MEMBERS_MAX = 100;
const BROKERS_MAX = 16;

interface GroupsOptions {
  readonly joins?: number;
  readonly seconds?: number;
  readonly members: number;
  readonly heartbeat?: number;
  readonly partitions: number;
  readonly replicas: number;
}

interface StartOptions {
  readonly starts?: number;
  readonly seconds?: number;
  readonly acks: AcksText;
  readonly brokers: number;
}

export function declareGroupsBench(bench: Command, perform: Perform): void {
  const command = bench
    .command("groups")
    .summary("measure how long a member that joins a group waits")
    .description(
      "Has a member join a group, again and again, and measures how long it waits for its partitions while the others give them up.",
    )
    .option(
      "--joins <n>",
      `how many (default: ${JOINS_DEFAULT}, or what fits into --seconds)`,
      wholeNumber(1),
    )
    .option("--seconds <n>", `how long (default: ${SECONDS_DEFAULT}, or what --joins take)`, wholeNumber(1))
    .option("--members <n>", "that are there already", wholeNumber(0, MEMBERS_MAX), 1)
    .option(
      "--heartbeat <duration>",
      "how often a member says that it is there (default: 100ms)",
      parseHeartbeat,
    )
    .option("-p, --partitions <n>", "of its topic", wholeNumber(1), PARTITIONS_DEFAULT)
    .option("-r, --replicas <n>", "of its topic", wholeNumber(1), 1)
    .action((options: GroupsOptions, self: Command) =>
      perform(self, async (context) => {
        const { benchGroups } = await import("../bench/groups-bench.ts");
        const { joins, seconds, heartbeat: heartbeatMs = HEARTBEAT_DEFAULT_MS } = options;
        const bounds = boundsOf(joins, seconds, JOINS_DEFAULT);
        return benchGroups(context, { ...options, ...bounds, heartbeatMs });
      }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli bench groups", "minikafka-cli bench groups --members 3 --heartbeat 50ms --joins 5 -J"],
      GROUPS_NOTE,
    ),
  );
}

export function declareStartBench(bench: Command, perform: Perform): void {
  const command = bench
    .command("start")
    .summary("measure how long a broker takes to its first record")
    .description(
      "Starts a broker of its own, again and again, and measures how long it takes to the first record that is acknowledged.",
    )
    .option(
      "--starts <n>",
      `how many (default: ${STARTS_DEFAULT}, or what fits into --seconds)`,
      wholeNumber(1),
    )
    .option("--seconds <n>", `how long (default: ${SECONDS_DEFAULT}, or what --starts take)`, wholeNumber(1))
    .option("--acks <0|1|all>", "when the record counts as written", parseAcks, "1")
    .option("--brokers <n>", "in the process, each with a replica", wholeNumber(1, BROKERS_MAX), 1)
    .action((options: StartOptions, self: Command) =>
      perform(self, async (context) => {
        if (namesBroker(self))
          throw new CliError("USAGE", "bench start has brokers of its own: leave -b and --context out");
        const { benchStart } = await import("../bench/start-bench.ts");
        const { starts, seconds, acks, brokers } = options;
        return benchStart(context, { ...boundsOf(starts, seconds, STARTS_DEFAULT), acks, brokers });
      }),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli bench start", "minikafka-cli bench start --brokers 3 --acks all --starts 3"],
      START_NOTE,
    ),
  );
}

/** Who says one of the two means that one. */
function boundsOf(count: number | undefined, seconds: number | undefined, countDefault: number) {
  const neither = count === undefined && seconds === undefined;
  return {
    records: neither ? countDefault : (count ?? null),
    seconds: neither ? SECONDS_DEFAULT : (seconds ?? null),
    throughput: null,
  };
}

function parseHeartbeat(text: string): number {
  const ms = parseDuration(text);
  if (ms > 0 && ms <= HEARTBEAT_MS_MAX) return ms;
  throw new InvalidArgumentError("Expected more than nothing and at most 20m, such as 100ms.");
}
