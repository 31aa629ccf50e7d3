import { expect, test } from "vitest";
import { collectOffsets, collectPartitions } from "./partition-spec.ts";

test("a topic stands for all of its partitions, numbers behind a colon for some of them", () => {
  expect(collectPartitions("orders")).toEqual([{ topic: "orders", partitions: null }]);
  expect(collectPartitions("b.c-d_1:2,0", collectPartitions("a:7"))).toEqual([
    { topic: "a", partitions: [7] },
    { topic: "b.c-d_1", partitions: [0, 2] },
  ]);
});

test.each([
  ["", "Expected TOPIC"],
  [":1", "Expected TOPIC"],
  ["orders:", "Expected TOPIC"],
  ["orders:x", "Expected TOPIC"],
  ["orders:-1", "Expected TOPIC"],
  ["orders:1,", "Expected TOPIC"],
  ["orders:1=2", "Expected TOPIC"],
  ["orders:1,1", "A partition is named twice."],
  ["a:1", "a is named twice."],
])("partitions %j are refused", (text, reason) => {
  expect(() => collectPartitions(text, [{ topic: "a", partitions: null }])).toThrow(reason);
});

test("an offset stands behind its partition", () => {
  expect(collectOffsets("orders:1=42", collectOffsets("orders:0=0"))).toEqual([
    { topic: "orders", partition: 0, offset: 0 },
    { topic: "orders", partition: 1, offset: 42 },
  ]);
});

test.each([
  ["orders=1", "Expected TOPIC:PARTITION=OFFSET"],
  ["orders:1", "Expected TOPIC:PARTITION=OFFSET"],
  ["orders:1=", "Expected TOPIC:PARTITION=OFFSET"],
  ["orders:1=-1", "Expected TOPIC:PARTITION=OFFSET"],
  ["orders:1=9007199254740993", "Expected TOPIC:PARTITION=OFFSET"],
  ["a:0=2", "a:0 is given twice."],
])("an offset %j is refused", (text, reason) => {
  expect(() => collectOffsets(text, [{ topic: "a", partition: 0, offset: 1 }])).toThrow(reason);
});
