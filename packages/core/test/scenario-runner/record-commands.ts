/** `produce` and `fetch`: records in and out, as text. */
import { decodeRecords, encodeBatch, readBatchHeader, splitFrames } from "@minikafka/record";
import type { Isolation } from "../../src/replica/partition-view.ts";
import type { TopicPartition } from "../../src/replica/topic-partition.ts";
import { placeOf } from "./command-line.ts";
import { partitionOf, partitionsOf, recordOf } from "./given-records.ts";
import { transact } from "./in-transaction.ts";
import type { Command, Run, Stage } from "./stage.ts";

const PRODUCE =
  "produce <topic> [-v --value TEXT] [-k --key TEXT] [-K --key-delimiter TEXT] [-Z --null] [-p --partition N] " +
  "[--acks ACKS] [--idempotent] [--name NAME] [--transactional-id ID] [-q --quiet]";

export const RECORD_COMMANDS: Readonly<Record<string, Command>> = {
  [PRODUCE]: async (run) => {
    if (run.given.has("transactional-id")) await transact(run);
    else if (run.piped !== null) await produce(run, run.piped);
    else if (run.given.has("value")) await produce(run, [run.given.required("value")]);
    else await produceTyped(run);
  },
  "fetch <topic> [-p --partition N] [-o --offset N] [-e --exit] [-f --format FORMAT] [--isolation LEVEL]": ({
    stage,
    given,
    print,
  }) => {
    const isolation: Isolation =
      given.text("isolation") === "read_committed" ? "read_committed" : "read_uncommitted";
    if (!given.has("exit")) throw new Error("fetch needs -e: nothing that comes later is waited for");
    const { topic } = placeOf(given);
    const partitions = given.has("partition") ? [placeOf(given).partition] : partitionsOf(stage, topic);
    const places = partitions.map((partition) => ({ topic, partition }));
    const records = places.flatMap((place) => recordsOf(stage, place, isolation, given.number("offset")));
    const format = given.text("format") ?? "%v";
    print(...records.map((record) => formatted(record, format)));
    const count = records.length === 1 ? "1 record" : `${records.length} records`;
    const held = places.flatMap((place) => heldUp(stage, place, isolation));
    if (held.length === 0) print(`% reached the end of ${topic}: ${count}`);
    else print(`% stopped before an open transaction (${held.join(", ")}): ${count}`);
  },
};

/** A batch with a record for each value. */
async function produce({ stage, given, print }: Run, values: readonly string[]): Promise<void> {
  const records = values.map((value) => recordOf(stage, given, value));
  const place = { ...placeOf(given), partition: partitionOf(stage, given, records[0]?.key ?? null) };
  const acks = given.text("acks") ?? (given.has("idempotent") ? "all" : "1");
  const strength = acks === "all" ? "all" : acks === "0" ? 0 : 1;
  const { baseOffset } = await stage.cluster.appendBatch(place, encodeBatch({ records }), { acks: strength });
  if (given.has("quiet")) return;
  for (const [index] of values.entries())
    print(`partition ${place.partition}, offset ${strength === 0 ? "unknown" : baseOffset + index}`);
}

/** What is typed, a batch for each line, by one producer that lives as long as the command. */
async function produceTyped(run: Run): Promise<void> {
  const { stage, given, input, print } = run;
  const name = given.text("name");
  const idempotent = given.has("idempotent");
  const identity = idempotent ? stage.cluster.initProducer(name === undefined ? {} : { name }) : null;
  let baseSequence = 0;
  for await (const line of input) {
    if (identity === null) {
      await produce(run, [line]);
      continue;
    }
    const record = recordOf(stage, given, line);
    const place = { ...placeOf(given), partition: partitionOf(stage, given, record.key) };
    const frame = encodeBatch({ records: [record], ...identity, baseSequence });
    const { baseOffset } = await stage.cluster.appendBatch(place, frame, { acks: "all" });
    baseSequence += 1;
    print(`partition ${place.partition}, offset ${baseOffset}`);
  }
}

interface ReadRecord {
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly value: string | null;
}

/** As a consumer reads them: markers are none, and with read_committed neither is what was aborted. */
function recordsOf(stage: Stage, place: TopicPartition, isolation: Isolation, from?: number): ReadRecord[] {
  const { cluster } = stage;
  const records: ReadRecord[] = [];
  let offset = from ?? cluster.listOffsets(place, -2).offset ?? 0;
  const first = offset;
  while (offset < cluster.visibleEnd(place, isolation)) {
    const fetched = cluster.fetch(place, offset, { bytesMax: 1 << 20, isolation });
    for (const frame of splitFrames(fetched.batches)) {
      const { baseOffset, producerId, control, transactional } = readBatchHeader(frame);
      const isAborted = fetched.abortedTransactions.some(
        (each) =>
          each.producerId === producerId && each.firstOffset <= baseOffset && baseOffset < each.lastOffset,
      );
      if (control !== null || (transactional && isAborted)) continue;
      for (const { offset: at, key, value } of decodeRecords(frame))
        if (at >= first)
          records.push({ partition: place.partition, offset: at, key: textOf(key), value: textOf(value) });
    }
    offset = fetched.nextOffset;
  }
  return records;
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}

function formatted({ partition, offset, key, value }: ReadRecord, format: string): string {
  const parts: Record<string, string | number> = { p: partition, o: offset, k: key ?? "", v: value ?? "" };
  return format.replace(/\\n$/, "").replace(/%(\w)/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`%${name} is no part of a record`);
    return String(part);
  });
}

function heldUp(stage: Stage, place: TopicPartition, isolation: Isolation): string[] {
  const { lastStableOffset: offset, highWatermark } = stage.cluster.describePartition(place);
  if (isolation !== "read_committed" || offset === null || offset >= (highWatermark ?? 0)) return [];
  return [`${place.topic} [${place.partition}] at offset ${offset}`];
}
