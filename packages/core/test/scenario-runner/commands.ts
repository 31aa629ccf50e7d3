/** Every command that a scenario may use, by its usage: those of `minikafka-cli` that it needs, spelled as there. */
import { durationMs, placeOf } from "./command-line.ts";
import { GROUP_COMMANDS } from "./group-commands.ts";
import { LOG_COMMANDS } from "./log-commands.ts";
import { RAW_COMMANDS } from "./raw-commands.ts";
import { RECORD_COMMANDS } from "./record-commands.ts";
import { REPLICATION_COMMANDS } from "./replication-commands.ts";
import type { Command } from "./stage.ts";
import { table } from "./tables.ts";
import { TOPIC_COMMANDS } from "./topic-commands.ts";
import { TRANSACTION_COMMANDS } from "./transaction-commands.ts";

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...TOPIC_COMMANDS,
  ...RECORD_COMMANDS,
  ...REPLICATION_COMMANDS,
  ...LOG_COMMANDS,
  ...GROUP_COMMANDS,
  ...TRANSACTION_COMMANDS,
  ...RAW_COMMANDS,
  "watch [topic] [-k --kind KIND]": ({ stage, given }) => {
    stage.watching = { topic: given.text("topic") ?? null, kinds: given.all("kind") };
  },
  "clock advance <duration>": ({ stage, given, print }) => {
    stage.clock.advance(durationMs(given.required("duration")));
    print(`${new Date(stage.clock.nowMs()).toISOString()}  ${stage.clock.nowMs()}`);
  },
  "describe <topic> [-p --partition N]": ({ stage, given, print }) => {
    const described = stage.cluster.describePartition(placeOf(given));
    print(
      ...[
        ["LEADER", described.leaderId],
        ["EPOCH", described.leaderEpoch],
        ["ISR", described.inSyncReplicas.join(",")],
        ["LOG-START", described.logStartOffset],
        ["LAST-STABLE", described.lastStableOffset],
        ["HIGH-WATERMARK", described.highWatermark],
        ["LOG-END", described.logEndOffset],
      ].map(([name, value]) => `${String(name).padEnd(14)}  ${value ?? "-"}`),
      ...table(
        "SEGMENT NEXT-OFFSET BYTES ACTIVE",
        described.segments.map((each) => [
          each.baseOffset,
          each.nextOffset,
          each.sizeBytes,
          each.active ? "yes" : "no",
        ]),
      ),
      ...table(
        "EPOCH START-OFFSET",
        described.epochs.map(({ epoch, startOffset }) => [epoch, startOffset]),
      ),
      ...table(
        "OPEN-TRANSACTION-OF PRODUCER PRODUCER-EPOCH FIRST-OFFSET",
        described.openTransactions.map((each) => [
          stage.cluster.transactions.idOf(each.producerId),
          each.producerId,
          each.producerEpoch,
          each.firstOffset,
        ]),
      ),
    );
  },
};
