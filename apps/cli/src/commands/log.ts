/** `log`: what lies in a partition's files, from a running broker or from a folder. */

import type { SoughtPlace } from "@minikafka/core/log";
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import { CliError } from "../failure.ts";
import { wholeNumber } from "../input/arguments.ts";
import { parseTime } from "../input/offset-spec.ts";
import type { LogDumpOptions } from "../log/log-options.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";

const NOTE =
  "A folder is read as it is, without a lock and without a change, whether a broker runs\n" +
  "or not. Exit code 6 when damage is found; it is told by file and position. What a\n" +
  "crash left at the end of a log is told as unfinished: the next start cuts it. An index\n" +
  "that leads astray is told as unused and is no damage: the broker makes it anew. A folder\n" +
  "of a partition that no topic of metadata.json stands for is told as left over.";

interface DumpOptions extends LogDumpOptions {
  readonly partition?: number;
}

export function declareLog(program: Command, perform: Perform): void {
  const log = program
    .command("log")
    .summary("look into the files of a log, and check them")
    .description("Shows and checks what lies in the files of partitions.");
  const dump = log
    .command("dump")
    .summary("show the batches as they lie in the files")
    .description(
      "With -p the batches of a topic's partition, as the running broker finds them. Without, what lies in a folder: a " +
        "partition's, or all partitions of a broker's or a data folder.",
    )
    .argument(
      "<topic or folder>",
      "a topic of a running broker, or a folder such as ./data/broker-1/orders-0",
    )
    .option("-p, --partition <n>", "the partition of the topic", wholeNumber(0))
    .option("--replica <id>", "the replica on this broker, not the leader's (with -p)", wholeNumber(0))
    .option("-o, --offset <offset>", "begin with the batch that holds this offset", wholeNumber(0))
    .option("-n, --batches <n>", "stop after so many batches of a partition", wholeNumber(1))
    .option("--records", "print the records too")
    .action((target: string, { partition, ...options }: DumpOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          if (partition === undefined) {
            const { dumpFolder } = await import("../log/folder-dump.ts");
            return dumpFolder(context, target, options);
          }
          const { dumpPartition } = await import("../log/partition-dump.ts");
          return dumpPartition(context, { topic: target, partition }, options);
        },
        target,
      ),
    );
  const verify = declareVerify(log, perform);
  const find = declareFind(log, perform);
  const shown = [
    "minikafka-cli log dump orders -p 0 --records",
    "minikafka-cli log dump orders -p 0 -o 100 -n 10 -J",
    "minikafka-cli log dump ./data/broker-1/orders-0",
    "minikafka-cli log verify ./data",
    "minikafka-cli log verify orders -p 0",
    "minikafka-cli log find orders -p 0 --offset 1042",
    "minikafka-cli log find ./data/broker-1/orders-0 --time 2026-01-31T12:00:00Z",
  ];
  const of = (name: string) => shown.filter((example) => example.startsWith(`minikafka-cli log ${name} `));
  addSharedOptions(log).addHelpText("after", examples(shown, NOTE));
  for (const command of [dump, verify, find])
    addSharedOptions(command).addHelpText("after", examples(of(command.name()), NOTE));
}

function declareVerify(log: Command, perform: Perform): Command {
  return log
    .command("verify")
    .summary("check every byte of the partitions in a folder, or of one on a running broker")
    .description(
      "Reads all partitions in a folder, with their indexes, and tells of each whether it is sound. With -p the running " +
        "broker checks every batch of a topic's partition.",
    )
    .argument(
      "<topic or folder>",
      "a topic of a running broker, or a data folder, a broker's, or a partition's",
    )
    .option("-p, --partition <n>", "the partition of the topic", wholeNumber(0))
    .action((target: string, { partition }: { readonly partition?: number }, self: Command) =>
      perform(
        self,
        async (context) => {
          if (partition === undefined) {
            const { verifyFolder } = await import("../log/folder-dump.ts");
            return verifyFolder(context, target);
          }
          const { verifyPartition } = await import("../log/partition-verify.ts");
          return verifyPartition(context, { topic: target, partition });
        },
        target,
      ),
    );
}

interface FindOptions {
  readonly partition?: number;
  readonly offset?: number;
  readonly time?: number;
}

function declareFind(log: Command, perform: Perform): Command {
  return log
    .command("find")
    .summary("show the way to an offset or a time in the files")
    .description(
      "Shows the steps by which a read finds an offset, or list_offsets a time: which segments are compared, which index " +
        "entries are used, how many batches are looked at from there, and where the batch and the record lie.",
    )
    .argument("<topic or folder>", "a topic of a running broker, or a partition's folder")
    .option("-p, --partition <n>", "the partition of the topic", wholeNumber(0))
    .option("-o, --offset <offset>", "the record of this offset", wholeNumber(0))
    .option("--time <ms>", "the first record of this time or later: ms since 1970, or as a date", parseTime)
    .action((target: string, { partition, offset, time: timestampMs }: FindOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const { findInFiles, findInPartition } = await import("../log/find.ts");
          const sought = soughtPlace(offset, timestampMs);
          return partition === undefined
            ? findInFiles(context, target, sought)
            : findInPartition(context, { topic: target, partition }, sought);
        },
        target,
      ),
    );
}

function soughtPlace(offset: number | undefined, timestampMs: number | undefined): SoughtPlace {
  if (offset !== undefined && timestampMs === undefined) return { offset };
  if (offset === undefined && timestampMs !== undefined) return { timestampMs };
  throw new CliError("USAGE", "log find: expected --offset or --time, one of the two", {
    hint: "minikafka-cli log find TOPIC -p 0 --offset 1042, or --time 2026-01-31T12:00:00Z",
  });
}
