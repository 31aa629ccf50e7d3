/** What consumers say to one another, as bytes of every version and of none. */
import { describe, expect, test } from "vitest";
import { assignedPartitions, subscribedTopics } from "./consumer-protocol.ts";

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
}

function list(...entries: Buffer[]): Buffer {
  return Buffer.concat([int32(entries.length), ...entries]);
}

/** Version 1 adds owned partitions, version 2 a generation, version 3 a rack; each behind the user data. */
function subscription(version: number, ...topics: string[]): Buffer {
  const newer = Buffer.concat([list(), int32(7), text("rack")]);
  return Buffer.concat([int16(version), list(...topics.map(text)), int32(-1), newer]);
}

describe("a subscription", () => {
  test.each([0, 1, 2, 3, 9])("of version %i names its topics", (version) => {
    expect(subscribedTopics(subscription(version, "orders", "mail", "orders"))).toEqual(["mail", "orders"]);
  });

  test("that is cut at any byte of the topics, or has a count or a length that cannot be, is none", () => {
    const whole = subscription(0, "orders", "mail");
    const end = 2 + 4 + 2 + "orders".length + 2 + "mail".length;
    for (let length = 0; length < end; length++)
      expect([length, subscribedTopics(whole.subarray(0, length))]).toEqual([length, null]);
    expect(subscribedTopics(Buffer.concat([int16(0), int32(2 ** 31 - 1)]))).toBeNull();
    expect(subscribedTopics(Buffer.concat([int16(0), list(int16(-1))]))).toBeNull();
    expect(subscribedTopics(Buffer.concat([int16(-1), list()]))).toBeNull();
  });
});

describe("an assignment", () => {
  const bytes = Buffer.concat([
    int16(1),
    list(
      Buffer.concat([text("orders"), list(int32(2), int32(0))]),
      Buffer.concat([text("mail"), list(int32(1))]),
    ),
    int32(-1),
  ]);

  test("names its partitions, in order; an empty one has none", () => {
    expect(assignedPartitions(bytes)).toEqual([
      { topic: "mail", partition: 1 },
      { topic: "orders", partition: 0 },
      { topic: "orders", partition: 2 },
    ]);
    expect(assignedPartitions(Buffer.alloc(0))).toEqual([]);
  });

  test("of another program's bytes is none", () => {
    expect(assignedPartitions(Buffer.from("0,2"))).toBeNull();
    expect(assignedPartitions(bytes.subarray(0, 20))).toBeNull();
  });
});
