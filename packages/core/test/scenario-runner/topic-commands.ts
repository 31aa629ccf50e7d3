/** `topics`, `step roll`, `retention`, `compact` and `flush`: what there is, and what becomes of it with time. */
import { durationMs, placeOf } from "./command-line.ts";
import type { Command } from "./stage.ts";
import { table } from "./tables.ts";

export const TOPIC_COMMANDS: Readonly<Record<string, Command>> = {
  "topics create <topic> [-p --partitions N] [-r --replicas N] [-c --config SETTING]": ({
    stage,
    given,
    print,
  }) => {
    const topic = given.required("topic");
    const { partitions, replicationFactor } = stage.cluster.createTopic({
      topic,
      partitions: given.number("partitions") ?? 1,
      replicationFactor: given.number("replicas") ?? 1,
      config: settingsOf(given.all("config")),
    });
    print(`created topic ${topic}, partitions ${partitions}, replicas ${replicationFactor}`);
  },
  "topics alter <topic> [-c --config SETTING]": ({ stage, given }) => {
    stage.cluster.alterConfig(given.required("topic"), settingsOf(given.all("config")));
  },
  "topics offsets <topic> [-p --partition N] [--at PLACE] [--isolation LEVEL]": ({ stage, given, print }) => {
    const place = placeOf(given);
    const at = given.text("at") ?? "end";
    const timestampMs = { beginning: -2, end: -1 }[at] ?? Number(at.replace(/^@/, ""));
    const isolation = given.text("isolation") === "read_committed" ? "read_committed" : "read_uncommitted";
    const found = stage.cluster.listOffsets(place, timestampMs, isolation);
    print(
      ...table("TOPIC PARTITION OFFSET TIME", [
        [place.topic, place.partition, found.offset, found.timestampMs],
      ]),
    );
  },
  "topics trim <topic> [-p --partition N] [--before OFFSET]": async ({ stage, given, print }) => {
    const place = placeOf(given);
    const before = given.text("before") === "end" ? "high_watermark" : (given.number("before") ?? 0);
    const offset = await stage.cluster.deleteRecords(place, before);
    print(`${place.topic} [${place.partition}] begins at offset ${offset}`);
  },
  "step roll <topic> [-p --partition N]": ({ stage, given, print }) => {
    const place = placeOf(given);
    const { baseOffset } = stage.cluster.steps.rollSegment(place);
    print(`${place.topic} [${place.partition}] begins a segment at offset ${baseOffset}`);
  },
  "step flush": async ({ stage, print }) => {
    await stage.cluster.steps.flushLogs();
    print("flushed all logs");
  },
  "step retention [topic]": async ({ stage, given, print }) => {
    const retained = await stage.cluster.steps.applyRetention(given.text("topic"));
    const deleted = retained.flatMap((log) => log.deleted.map((segment) => ({ place: log.place, segment })));
    if (deleted.length === 0) print("% nothing was due");
    print(
      ...table(
        "TOPIC PARTITION BROKER SEGMENT NEXT-OFFSET BYTES REASON",
        deleted.map(({ place, segment }) => [
          ...[place.topic, place.partition, place.brokerId],
          ...[segment.baseOffset, segment.nextOffset, segment.sizeBytes, segment.reason],
        ]),
      ),
    );
  },
  "step compact [topic]": async ({ stage, given, print }) => {
    const compacted = await stage.cluster.steps.compact(async () => undefined, given.text("topic"));
    if (compacted.length === 0) print("% nothing was due");
    const rows = compacted.flatMap(({ place: { topic, partition, brokerId }, result }) => {
      if ("gaveWayTo" in result) return [];
      const { segmentsBefore, segmentsAfter, bytesBefore, bytesAfter } = result;
      const sizes = [`${segmentsBefore}->${segmentsAfter}`, `${bytesBefore}->${bytesAfter}`];
      return [
        [
          ...[topic, partition, brokerId, ...sizes],
          ...[result.recordsKept, result.recordsDropped, result.firstDirtyOffset],
        ],
      ];
    });
    print(...table("TOPIC PARTITION BROKER SEGMENTS BYTES KEPT DROPPED CLEAN-TO", rows));
    for (const { place, waitsFor } of compacted)
      if (waitsFor.length > 0)
        print(
          `% ${place.topic} [${place.partition}] on broker ${place.brokerId} keeps tombstones or markers whose time is over: ` +
            `replicas may lack them (brokers ${waitsFor.join(", ")})`,
        );
  },
};

/** `name=value`; durations as the command line takes them. */
function settingsOf(texts: readonly string[]): Record<string, string | number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = "", value = ""] = /^([a-z_]+)=(.*)$/.exec(text) ?? [];
      if (name === "") throw new Error(`${text} is no setting; expected name=value`);
      if (name.endsWith("_ms") && /^\d+(ms|s|m|h)$/.test(value)) return [name, durationMs(value)];
      return [name, /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
    }),
  );
}
