/** `topics offsets`: the offset of an end or of a time, in each partition. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context, Perform } from "../context.ts";
import { type Isolation, parseIsolation, wholeNumber } from "../input/arguments.ts";
import { type OffsetSpec, parseOffsetSpec } from "../input/offset-spec.ts";
import { examples } from "../output/examples.ts";
import { renderTable } from "../output/table.ts";
import { timeCell } from "../output/time.ts";
import { withSession } from "../session.ts";
import { addSharedOptions } from "../settings.ts";

interface OffsetsOptions {
  readonly partition?: number;
  /** As `list_offsets` takes it. */
  readonly at?: number;
  readonly isolation?: Isolation;
}

const EARLIEST = -2;
const LATEST = -1;
const REFUSAL =
  "Expected beginning or earliest, end or latest, or @ms (or @2026-01-31T12:00:00Z) for a time.";

export function declareTopicOffsets(topics: Command, perform: Perform): void {
  const command = topics
    .command("offsets")
    .summary("show where each partition begins, ends, or was at a time")
    .description("Shows where each partition begins, ends, or was at a time. Other programs read it with -J.")
    .argument("<topic...>", "the names")
    .option("-p, --partition <n>", "this partition alone", wholeNumber(0))
    .option(
      "--at <place>",
      "beginning (earliest), end (latest), or the first record at or after a time: @ms or @2026-01-31T12:00:00Z (default: end)",
      parsePlace,
    )
    .option(
      "--isolation <level>",
      "read_committed ends before the oldest open transaction (default: read_uncommitted)",
      parseIsolation,
    )
    .action((names: string[], options: OffsetsOptions, self: Command) =>
      perform(self, (context) => show(context, names, options), names[0]),
    );
  addSharedOptions(command).addHelpText(
    "after",
    examples(
      [
        "minikafka-cli topics offsets orders",
        "minikafka-cli topics offsets orders payments --at beginning",
        "minikafka-cli topics offsets orders --isolation read_committed",
        "minikafka-cli topics offsets orders -p 0 --at @2026-01-31T12:00:00Z -J",
      ],
      "No offset stands where no visible record is that late.",
    ),
  );
}

function show(
  context: Context,
  names: readonly string[],
  { partition, at = LATEST, isolation }: OffsetsOptions,
): Promise<undefined> {
  return withSession(context, async (session) => {
    const offsets = [];
    for (const topic of names) {
      const { partitions } = await session.call("metadata", { topic });
      const wanted = partition === undefined ? partitions.map((each) => each.partition) : [partition];
      for (const each of wanted) {
        const place = { topic, partition: each, ...(isolation && { isolation }) };
        const found = await session.call("list_offsets", { ...place, timestamp_ms: at });
        offsets.push({ topic, partition: each, ...found });
      }
    }
    if (context.settings.json) {
      await context.data.json({ offsets });
      return undefined;
    }
    const rows = offsets.map((found) => [
      found.topic,
      found.partition,
      found.offset,
      timeCell(found.timestamp_ms),
    ]);
    await context.data.write(renderTable(["TOPIC", "PARTITION", "OFFSET", "TIME"], rows));
    return undefined;
  });
}

function parsePlace(text: string): number {
  const spec = specOf(text);
  if (spec.kind === "beginning") return EARLIEST;
  if (spec.kind === "end") return LATEST;
  if (spec.kind === "time") return spec.timestampMs;
  throw new InvalidArgumentError(REFUSAL);
}

/** Without the words of `fetch -o`, of which some make no sense here. */
function specOf(text: string): OffsetSpec {
  try {
    return parseOffsetSpec(text);
  } catch {
    throw new InvalidArgumentError(REFUSAL);
  }
}
