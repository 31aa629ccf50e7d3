import { expect, test } from "vitest";
import { rowsByKip, rowsBySetting } from "./kafka-index.mjs";
import type { KafkaChapter } from "./read.mjs";

function chapters(...rows: Pick<KafkaChapter["rows"][number], "id" | "here" | "kafka" | "boundary">[]) {
  const whole = rows.map((row) => ({ grade: "equivalent" as const, ...row }));
  return new Map([["log.yaml", { title: "Log", is_part: false, kafka_heading: "Kafka", rows: whole }]]);
}

const CHAPTERS = chapters(
  { id: "acks", here: "acks all", kafka: "`min.insync.replicas`, KIP-966", boundary: "KIP-98 and KIP-98" },
  {
    id: "ids",
    here: "as KIP-98 says",
    kafka: "`transactional.id`, `metadata.json`, `minikafka-cli log dump`",
  },
  { id: "replicas", here: "replicas", kafka: "`min.insync.replicas` and `acks`" },
);

test("rows are found by the KIPs that they name, in the order of their numbers and once each", () => {
  expect(rowsByKip(CHAPTERS)).toEqual([
    ["KIP-98", ["acks", "ids"]],
    ["KIP-966", ["acks"]],
  ]);
});

test("rows are found by the settings that they name, and by no file or command", () => {
  expect(rowsBySetting(CHAPTERS)).toEqual([
    ["min.insync.replicas", ["acks", "replicas"]],
    ["transactional.id", ["ids"]],
  ]);
});
