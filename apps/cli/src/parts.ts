/** The parts of the tree of commands, in the order of help: who declares them, and the names, other names too, that lead there. */
import type { Command } from "commander";
import { declareApi } from "./commands/api.ts";
import { declareBench } from "./commands/bench.ts";
import { declareBroker } from "./commands/broker.ts";
import { declareCheat } from "./commands/cheat.ts";
import { declareCheck } from "./commands/check.ts";
import { declareClock } from "./commands/clock.ts";
import { declareComplete, declareCompletion } from "./commands/completion.ts";
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

export type Part = readonly [declare: (program: Command, perform: Perform) => void, ...names: string[]];

export const PARTS: readonly Part[] = [
  [declareTopics, "topics", "topic"],
  [declareProduce, "produce"],
  [declareFetch, "fetch", "tail"],
  [declareConsume, "consume"],
  [declareGroups, "groups", "group"],
  [declareOffsets, "offsets", "offset"],
  [declareTransactions, "tx", "transactions"],
  [declareDescribe, "describe"],
  [declareReplicas, "replicas"],
  [declareLeadership, "promote", "rejoin", "remove-from-isr"],
  [declareBroker, "broker"],
  [declareLog, "log"],
  [declareWatch, "watch"],
  [declarePing, "ping"],
  [declareCheck, "check"],
  [declareMetrics, "metrics"],
  [declareClock, "clock"],
  [declareStep, "step"],
  [declareFault, "fault", "faults"],
  [declareLab, "lab", "labs"],
  [declareSnapshot, "snapshot", "snapshots"],
  [declareTrace, "trace"],
  [declareExport, "export"],
  [declareImport, "import"],
  [declareApi, "api"],
  [declareRaw, "raw"],
  [declareBench, "bench"],
  [declareContexts, "context", "contexts"],
  [declareCheat, "cheat"],
  [declareCompletion, "completion"],
  // It looks at all the others.
  [declareComplete],
  [declareVersion, "version"],
];

/**
 * The one part that `argv` may need, or none. It is the first of which a name stands there, be that the value of an option: whether it is
 * enough, parsing shows. To declare all parts takes longer than most commands take.
 */
export function partsNamed(argv: readonly string[]): readonly Part[] {
  const named = argv.map((word) => PARTS.find(([, ...names]) => names.includes(word)));
  return named.filter((part) => part !== undefined).slice(0, 1);
}
