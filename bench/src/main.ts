/** `npm run bench [-- clients|log|partitions|compaction|replication|offsets|joins|transactions|embedding|cli|kafka] [--quick] [--large] [--json]`: see ../README.md. Ends all that it starts. */
import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connect } from "@minikafka/client";
import { killPrograms } from "@minikafka/oracle/apache-kafka";
import { measureAtRest } from "./at-rest.ts";
import { startBound } from "./bound.ts";
import { COMMAND_LINE, COMMAND_LINE_QUICK, commandLineTable, measureCommandLine } from "./command-line.ts";
import {
  COMPACTION,
  COMPACTION_QUICK,
  compactionBytes,
  compactionTable,
  measureCompaction,
} from "./compaction.ts";
import { killDaemons, startDaemon } from "./daemon.ts";
import { EMBEDDING, EMBEDDING_QUICK, embeddingTable, measureEmbedding } from "./embedding.ts";
import { growthTable } from "./growth-table.ts";
import { JOINS, JOINS_QUICK, joinsTable, measureJoins } from "./joins.ts";
import { KAFKA, KAFKA_QUICK, kafkaTable, measureKafka } from "./kafka.ts";
import { GROWTH, GROWTH_LARGE, GROWTH_QUICK, growthBytes, measureGrowth } from "./log-growth.ts";
import {
  BYTES_PER_PARTITION,
  measurePartitions,
  PARTITION_COUNTS,
  partitionsTable,
} from "./many-partitions.ts";
import { measureOffsets, OFFSETS, OFFSETS_QUICK, offsetsBytes, offsetsTable } from "./offsets.ts";
import { FULL, type Plan, QUICK } from "./plan.ts";
import { measureReplication, REPLICATION, REPLICATION_QUICK, replicationTable } from "./replication.ts";
import { type BenchResult, workloadResults } from "./result.ts";
import { runRounds } from "./rounds.ts";
import { NoRoom, requireRoom, withScratch } from "./scratch.ts";
import { table } from "./table.ts";
import { measureTransactions, TRANSACTIONS, TRANSACTIONS_QUICK, transactionsTable } from "./transactions.ts";

const REST_MS = 1_500;

async function measure(plan: Plan, folder: string): Promise<BenchResult> {
  const atRest = await measureAtRest(plan.starts, folder);
  const data = join(folder, "data");
  mkdirSync(data);
  const daemon = await startDaemon(data);
  const client = await connect({ port: daemon.port });
  const bound = startBound(join(folder, "bound"));
  const rounds = await runRounds({ daemon, client, bound }, plan);
  await bound.stop();
  await client.close();
  await pause(REST_MS);
  const residentBytesAfterLoad = daemon.residentBytes();
  await daemon.stop();
  const processors = cpus();
  const machine = `Node ${process.versions.node}, ${processors.length} processors (${processors[0]?.model ?? "of unknown make"})`;
  const { volumeBytes } = plan;
  const workloads = workloadResults(plan, rounds);
  return { machine, rounds: rounds.count, volumeBytes, workloads, atRest, residentBytesAfterLoad };
}

interface Options {
  readonly what: string;
  readonly json: boolean;
  readonly quick: boolean;
  readonly large: boolean;
}

function options(): Options {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    options: { json: flag, quick: flag, large: flag },
    allowPositionals: true,
  });
  const [what = "clients", ...others] = positionals;
  if (others.length > 0)
    throw new RangeError(`one thing is measured at a time, not also ${others.join(", ")}`);
  return { what, ...values };
}

/** What was measured, as a value and as a text. */
async function run(
  { what, quick, large }: Options,
  folder: string,
): Promise<{ result: object; text: string }> {
  switch (what) {
    case "clients": {
      const result = await measure(quick ? QUICK : FULL, folder);
      return { result, text: table(result) };
    }
    case "log": {
      const growth = large ? GROWTH_LARGE : quick ? GROWTH_QUICK : GROWTH;
      requireRoom(growthBytes(growth));
      const result = await measureGrowth(growth, folder);
      return { result, text: growthTable(result) };
    }
    case "partitions": {
      const counts = quick ? PARTITION_COUNTS.slice(0, 1) : PARTITION_COUNTS;
      requireRoom(counts.reduce((sum, each) => sum + each, 0) * BYTES_PER_PARTITION);
      const result = await measurePartitions(counts, folder);
      return { result, text: partitionsTable(result) };
    }
    case "compaction": {
      const chosen = quick ? COMPACTION_QUICK : COMPACTION;
      requireRoom(compactionBytes(chosen));
      const result = await measureCompaction(chosen, folder);
      return { result, text: compactionTable(result) };
    }
    case "replication": {
      const result = await measureReplication(quick ? REPLICATION_QUICK : REPLICATION, folder);
      return { result, text: replicationTable(result) };
    }
    case "offsets": {
      const chosen = quick ? OFFSETS_QUICK : OFFSETS;
      requireRoom(offsetsBytes(chosen));
      const result = await measureOffsets(chosen, folder);
      return { result, text: offsetsTable(result) };
    }
    default:
      return runShort(what, quick, folder);
  }
}

/** What is over in a minute or so, and writes next to nothing. */
async function runShort(
  what: string,
  quick: boolean,
  folder: string,
): Promise<{ result: object; text: string }> {
  switch (what) {
    case "joins": {
      const result = await measureJoins(quick ? JOINS_QUICK : JOINS, folder);
      return { result, text: joinsTable(result) };
    }
    case "transactions": {
      const result = await measureTransactions(quick ? TRANSACTIONS_QUICK : TRANSACTIONS, folder);
      return { result, text: transactionsTable(result) };
    }
    case "embedding": {
      const result = await measureEmbedding(quick ? EMBEDDING_QUICK : EMBEDDING);
      return { result, text: embeddingTable(result) };
    }
    case "cli": {
      const result = await measureCommandLine(quick ? COMMAND_LINE_QUICK : COMMAND_LINE, folder);
      return { result, text: commandLineTable(result) };
    }
    case "kafka": {
      const result = await measureKafka(quick ? KAFKA_QUICK : KAFKA, folder);
      return { result, text: kafkaTable(result) };
    }
    default:
      throw new RangeError(
        `there is nothing to measure called ${what}; expected clients, log, partitions, compaction, replication, offsets, joins, transactions, embedding, cli or kafka`,
      );
  }
}

try {
  const chosen = options();
  const { result, text } = await withScratch(
    (folder) => run(chosen, folder),
    () => {
      killDaemons();
      killPrograms();
    },
  );
  console.log(chosen.json ? JSON.stringify(result) : text);
} catch (problem) {
  if (!(problem instanceof NoRoom || problem instanceof RangeError)) throw problem;
  console.error(`error: ${problem.message}`);
  process.exitCode = 2;
}
