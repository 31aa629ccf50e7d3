/** The tree of commands. Only declarations: each command loads what it needs when it runs, so that `--help` is quick. */
import { Command, type OutputConfiguration } from "commander";
import { declareApi } from "./commands/api.ts";
import { declareBench } from "./commands/bench.ts";
import { declareBroker } from "./commands/broker.ts";
import { declareCheat } from "./commands/cheat.ts";
import { declareCheck } from "./commands/check.ts";
import { declareClock } from "./commands/clock.ts";
import { declareCompletion } from "./commands/completion.ts";
import { declareConsume } from "./commands/consume.ts";
import { declareContexts } from "./commands/contexts.ts";
import { declareDescribe } from "./commands/describe.ts";
import { declareExport } from "./commands/export.ts";
import { declareFault } from "./commands/fault.ts";
import { declareFetch } from "./commands/fetch.ts";
import { declareGroups } from "./commands/groups.ts";
import { declareImport } from "./commands/import.ts";
import { declareLab } from "./commands/lab.ts";
import { declareLeadership } from "./commands/leadership.ts";
import { declareLog } from "./commands/log.ts";
import { declareMetrics } from "./commands/metrics.ts";
import { declareOffsets } from "./commands/offsets.ts";
import { declarePing } from "./commands/ping.ts";
import { declareProduce } from "./commands/produce.ts";
import { declareRaw } from "./commands/raw.ts";
import { declareReplicas } from "./commands/replicas.ts";
import { declareSnapshot } from "./commands/snapshot.ts";
import { declareStep } from "./commands/step.ts";
import { declareTopics } from "./commands/topics.ts";
import { declareTrace } from "./commands/trace.ts";
import { declareTransactions } from "./commands/transactions.ts";
import { declareVersion } from "./commands/version.ts";
import { declareWatch } from "./commands/watch.ts";
import type { Perform } from "./context.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-codes.ts";
import { examples } from "./output/examples.ts";
import { addSharedOptions } from "./settings.ts";
import { version } from "./version.ts";

export function createProgram(perform: Perform, output: OutputConfiguration): Command {
  const program = new Command("minikafka-cli")
    .description("Talks to a MiniKafka broker: topics, records, groups, and a look inside.")
    .exitOverride()
    .configureOutput(output)
    // Options after a command's name are that command's: without this, commander would take `-v -q` apart.
    .enablePositionalOptions()
    .version(version(), "-V, --version", "print the version")
    .helpCommand("help [command]", "show a command's help");
  declareTopics(program, perform);
  declareProduce(program, perform);
  declareFetch(program, perform);
  declareConsume(program, perform);
  declareGroups(program, perform);
  declareOffsets(program, perform);
  declareTransactions(program, perform);
  declareDescribe(program, perform);
  declareReplicas(program, perform);
  declareLeadership(program, perform);
  declareBroker(program, perform);
  declareLog(program, perform);
  declareWatch(program, perform);
  declarePing(program, perform);
  declareCheck(program, perform);
  declareMetrics(program, perform);
  declareClock(program, perform);
  declareStep(program, perform);
  declareFault(program, perform);
  declareLab(program, perform);
  declareSnapshot(program, perform);
  declareTrace(program, perform);
  declareExport(program, perform);
  declareImport(program, perform);
  declareApi(program, perform);
  declareRaw(program, perform);
  declareBench(program, perform);
  declareContexts(program, perform);
  declareCheat(program, perform);
  declareCompletion(program, perform);
  declareVersion(program, perform);
  addSharedOptions(program);
  return program.addHelpText(
    "after",
    examples(
      [
        "minikafka-cli topics create orders -p 2",
        "echo created | minikafka-cli produce orders -k alice",
        "minikafka-cli fetch orders -p 1 -e -J",
        "minikafka-cli consume orders -g billing",
      ],
      `Data goes to stdout, all else to stderr. Exit codes:\n${exitCodes()}.\n` +
        "minikafka-cli cheat has commands to copy, a screen for each subject.",
    ),
  );
}

function exitCodes(): string {
  const codes = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT, string][];
  return codes.map(([name, meaning]) => `${EXIT[name]} ${meaning}`).join(", ");
}
