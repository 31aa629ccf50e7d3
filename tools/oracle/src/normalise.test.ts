import { expect, test } from "vitest";
import { batch } from "./batches.ts";
import { Aliases, normalise } from "./normalise.ts";

test("errors are told by name, words as words, addresses and times of these days by what they are", () => {
  const response = {
    errorCode: 3,
    errorMessage: "there is no topic orders",
    host: "127.0.0.1",
    port: 9092,
    timestamp: Date.now(),
    maxTimestamp: 1_000_000,
  };
  expect(normalise(response, new Aliases())).toEqual({
    errorCode: "UNKNOWN_TOPIC_OR_PARTITION",
    errorMessage: "<words>",
    host: "<host>",
    port: "<port>",
    timestamp: "<now>",
    maxTimestamp: 1_000_000,
  });
});

test("an error that nobody knows keeps its number, and no words are null", () => {
  expect(normalise({ errorCode: 9_999, errorMessage: "" }, new Aliases())).toEqual({
    errorCode: 9_999,
    errorMessage: null,
  });
});

test("ids are told by their names in the script, those that have none by what they are, and no id as it is", () => {
  const aliases = new Aliases();
  aliases.name("producer id", 0, "first");
  aliases.name("member", "m-1", "anna");
  const response = { producerId: 0, leader: "m-1", memberId: "m-2", topicId: "7", clusterId: null };
  expect(normalise(response, aliases)).toEqual({
    producerId: "<first>",
    leader: "<anna>",
    memberId: "<a member>",
    topicId: "<a topic id>",
    clusterId: null,
  });
  const none = { producerId: -1, memberId: "", topicId: "00000000-0000-0000-0000-000000000000" };
  expect(normalise(none, aliases)).toEqual(none);
});

test("a number is no id because another field's id has that value", () => {
  const aliases = new Aliases();
  aliases.name("producer id", 5, "first");
  expect(normalise({ baseOffset: 5, producerId: 5 }, aliases)).toEqual({
    baseOffset: 5,
    producerId: "<first>",
  });
});

test("elements of a list go by their names, in any order, and one that is there twice is told twice", () => {
  const one = [
    { name: "b", value: 2 },
    { name: "a", value: 1 },
    { name: "b", value: 3 },
  ];
  expect(normalise(one, new Aliases())).toEqual({
    a: { name: "a", value: 1 },
    b: { name: "b", value: 2 },
    "b (2)": { name: "b", value: 3 },
  });
  expect(normalise([3, 1, 2], new Aliases())).toEqual([3, 1, 2]);
});

test("what a pass adds to its names is not shown, in bytes neither", () => {
  const aliases = new Aliases("-in-low");
  expect(normalise({ name: "orders-in-low", metadata: Buffer.from("g-in-low") }, aliases)).toEqual({
    name: "orders",
    metadata: "g",
  });
  expect(normalise(Buffer.of(0, 255), aliases)).toBe("0x00ff");
});

test("records are read, and damaged ones told as damaged", () => {
  const records = Buffer.concat([
    batch({ records: [{ key: "k", value: "v", timestampDelta: 5, headers: [["h", null]] }] }),
    batch({ baseOffset: 1n, isDamaged: true }),
    batch().subarray(0, 50),
  ]);
  const read = normalise({ records }, new Aliases());
  expect(read).toMatchObject({
    records: {
      "at 0": {
        baseOffset: 0,
        isIntact: true,
        content: [{ key: "k", value: "v", timestamp: 1_000_005, headers: [["h", null]] }],
      },
      "at 1": { baseOffset: 1, isIntact: false },
    },
  });
  expect(Object.keys((read as { records: object }).records)).toHaveLength(2);
});
