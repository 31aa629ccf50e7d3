/** `bench`: what a running broker does in a second, and how long each record takes; joins and starts are in bench-counted.ts. */
import type { Command } from "commander";
import type { Perform } from "../context.ts";
import {
  type AcksText,
  type CompressionText,
  parseAcks,
  parseCompression,
  wholeNumber,
} from "../input/arguments.ts";
import { examples } from "../output/examples.ts";
import { addSharedOptions } from "../settings.ts";
import { declareGroupsBench, declareStartBench } from "./bench-counted.ts";

const NOTE = `\
Prints one line in the words of kafka-producer-perf-test: records, records and MB (of 1,048,576 bytes, values
alone) a second, the average and the largest latency, and percentiles. It ends at --records or --seconds, without
either at the defaults of both, whichever comes first; Ctrl-C ends it sooner, and prints what was measured until
then. Its topic is its own, and deleted at the end, unless --topic names one.
The command and the broker share this machine's processors: bench/ in the repository has measurements that set
both apart.`;

const RECORDS_DEFAULT = 100_000;
/** One after the other. */
const ROUND_TRIPS_DEFAULT = 1_000;
const SECONDS_DEFAULT = 30;
const RECORD_BYTES_DEFAULT = 100;
/** What the SDK sends as one batch at most; larger records cannot be sent at all. Kafka: max.request.size. */
const RECORD_BYTES_MAX = 2 * 1_048_576;
const BATCH_BYTES_DEFAULT = 16_384;
const FETCH_BYTES_DEFAULT = 1_048_576;

interface SharedOptions {
  readonly records?: number;
  readonly seconds?: number;
  readonly recordSize: number;
  readonly throughput?: number;
  readonly topic?: string;
  readonly partitions: number;
  readonly replicas: number;
}

interface ProduceOptions extends SharedOptions {
  readonly batchSize: number;
  readonly acks: AcksText;
  readonly compression?: CompressionText;
  readonly idempotent?: true;
}

interface FetchOptions extends SharedOptions {
  readonly batchSize: number;
  readonly fetchSize: number;
}

interface RoundTripOptions extends SharedOptions {
  readonly acks: AcksText;
}

export function declareBench(program: Command, perform: Perform): void {
  const bench = program
    .command("bench")
    .summary("measure producing, fetching, the way from one to the other, joins and starts")
    .description(
      "Measures a broker: records a second and how long each takes, joins of groups, its own start.",
    );
  declareProduce(bench, perform);
  declareFetch(bench, perform);
  declareRoundTrip(bench, perform);
  declareGroupsBench(bench, perform);
  declareStartBench(bench, perform);
  addSharedOptions(bench).addHelpText(
    "after",
    examples(
      ["produce", "fetch", "e2e", "groups", "start"].map((what) => `minikafka-cli bench ${what}`),
      NOTE,
    ),
  );
}

function declareProduce(bench: Command, perform: Perform): void {
  const command = withBounds(bench.command("produce"), RECORDS_DEFAULT)
    .summary("measure how fast records are taken")
    .description("Produces records, and measures how long each waits for its acknowledgement.")
    .option("--batch-size <bytes>", "when a batch is full", wholeNumber(1), BATCH_BYTES_DEFAULT)
    .option("--acks <0|1|all>", "when a record counts as written", parseAcks, "1")
    .option("--compression <codec>", "none, gzip, snappy, lz4 or zstd (default: none)", parseCompression)
    .option("--idempotent", "each record once and in order; with --acks all")
    .action((options: ProduceOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const { benchProduce } = await import("../bench/produce-bench.ts");
          const acks = options.idempotent === true ? "all" : options.acks;
          return benchProduce(context, { ...options, ...boundsOf(options, RECORDS_DEFAULT), acks });
        },
        options.topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli bench produce",
        "minikafka-cli bench produce --records 1000000 --record-size 1000 --acks all",
        "minikafka-cli bench produce --throughput 1000 --seconds 10 -J",
      ],
      NOTE,
    ),
  );
}

function declareFetch(bench: Command, perform: Perform): void {
  const command = withBounds(bench.command("fetch"), RECORDS_DEFAULT)
    .summary("measure how fast records are read")
    .description(
      "Fetches records, one fetch after the other, and measures how long each fetch takes. A topic of its own is filled first; of one that " +
        "is named, what is there is read, from the beginning.",
    )
    .option("--batch-size <bytes>", "of what it fills its topic with", wholeNumber(1), BATCH_BYTES_DEFAULT)
    .option("--fetch-size <bytes>", "of one fetch at most", wholeNumber(1), FETCH_BYTES_DEFAULT)
    .action((options: FetchOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const { benchFetch } = await import("../bench/fetch-bench.ts");
          return benchFetch(context, { ...options, ...boundsOf(options, RECORDS_DEFAULT) });
        },
        options.topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      ["minikafka-cli bench fetch", "minikafka-cli bench fetch --topic orders --seconds 5"],
      `${NOTE}\nThe latencies are those of fetches, each of which brings many records.`,
    ),
  );
}

function declareRoundTrip(bench: Command, perform: Perform): void {
  const command = withBounds(bench.command("e2e"), ROUND_TRIPS_DEFAULT)
    .summary("measure the way from producer to consumer")
    .description(
      "Sends one record after the other, and measures how long each takes to a consumer that waits for it.",
    )
    .option("--acks <0|1|all>", "when a record counts as written", parseAcks, "1")
    .action((options: RoundTripOptions, self: Command) =>
      perform(
        self,
        async (context) => {
          const { benchRoundTrip } = await import("../bench/round-trip-bench.ts");
          return benchRoundTrip(context, { ...options, ...boundsOf(options, ROUND_TRIPS_DEFAULT) });
        },
        options.topic,
      ),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(["minikafka-cli bench e2e", "minikafka-cli bench e2e --acks all --records 200"], NOTE),
  );
}

function withBounds(command: Command, records: number): Command {
  return command
    .option("--records <n>", `how many (default: ${records}, or what fits into --seconds)`, wholeNumber(1))
    .option("--seconds <n>", `how long (default: ${SECONDS_DEFAULT}, or what --records take)`, wholeNumber(1))
    .option("--record-size <bytes>", "of each value", wholeNumber(1, RECORD_BYTES_MAX), RECORD_BYTES_DEFAULT)
    .option("--throughput <n>", "records a second (default: as many as it takes)", wholeNumber(1))
    .option("-t, --topic <topic>", "one that is there, and stays (default: one of its own)")
    .option("-p, --partitions <n>", "of its own topic", wholeNumber(1), 1)
    .option("-r, --replicas <n>", "of its own topic", wholeNumber(1), 1);
}

/** Who says one of the two means that one. */
function boundsOf({ records, seconds, throughput }: SharedOptions, recordsDefault: number) {
  const neither = records === undefined && seconds === undefined;
  return {
    records: neither ? recordsDefault : (records ?? null),
    seconds: neither ? SECONDS_DEFAULT : (seconds ?? null),
    throughput: throughput ?? null,
  };
}
