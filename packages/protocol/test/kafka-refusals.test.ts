/** What is refused, where it is said to be, and that nothing is allocated for what is only claimed. */
import { describe, expect, test } from "vitest";
import {
  API_TABLE,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  Malformed,
  Reader,
  readRequest,
  Unencodable,
} from "../src/kafka/index.ts";
import { ELEMENTS_MAX } from "../src/kafka/reader.ts";

const metadata = API_TABLE[3];
const produce = API_TABLE[0];
const joinGroup = API_TABLE[11];
const fetch = API_TABLE[1];

function malformedOf(read: () => unknown): Malformed {
  try {
    read();
  } catch (error) {
    if (error instanceof Malformed) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex");
}

describe("a claim of more than is there", () => {
  test.for([
    ["a count of 2^31 - 1", "7fffffff", /^topics: expected at most the 0 bytes that are left \(2147483647/],
    ["a count below -1", "fffffffe", /^topics: expected a count, or -1 for null at byte 0$/],
    [
      "a string longer than the rest",
      "00000001 7fff 61",
      /^topics\[0\]\.name: expected a length of at most the 1 /,
    ],
    [
      "a string length below -1",
      "00000001 fffe 61",
      /^topics\[0\]\.name: expected a length, or -1 for null at/,
    ],
    [
      "one element more than the rest holds",
      "00000002 0002 6162",
      /^topics\[1\]\.name: expected an int16 at byte 8$/,
    ],
  ] as const)("%s is refused", ([_name, bytes, message]) => {
    expect(malformedOf(() => decodeRequest(metadata, 1, hex(bytes))).message).toMatch(message);
  });

  test.for([
    ["a compact count", "ffffffff0f"],
    ["a varint without an end", "ffffffffff"],
    ["a varint of more than 32 bits", "ffffffff1f"],
    ["a compact string", "02 00000000000000000000000000000000 ffffffff0f"],
    ["the size of a tagged field", "00 01 00 01 07 ffffffff0f"],
    ["a count of tagged fields", "00 01 00 ffffffff0f"],
  ] as const)("%s is refused in a flexible version", ([_name, bytes]) => {
    expect(malformedOf(() => decodeRequest(metadata, 12, hex(bytes)))).toBeInstanceOf(Malformed);
  });

  test("records longer than the frame are refused in both forms", () => {
    const whole = {
      acks: 1,
      timeoutMs: 1,
      topicData: [{ name: "t", partitionData: [{ index: 0, records: hex("0102") }] }],
    };
    for (const [version, behind] of [
      [8, 0],
      [9, 3],
    ] as const) {
      const bytes = encodeRequest(produce, version, whole);
      const length = bytes.length - behind - 3;
      bytes[length] = 0x7f;
      const { path } = malformedOf(() => decodeRequest(produce, version, bytes));
      expect(path).toBe("topicData[0].partitionData[0].records");
    }
  });
});

describe("what an array may hold", () => {
  test("more elements than a message may have are refused before one is read", () => {
    const count = ELEMENTS_MAX + 1;
    const bytes = Buffer.alloc(4 + 2 * count);
    bytes.writeInt32BE(count);
    expect(malformedOf(() => decodeRequest(metadata, 1, bytes)).expected).toBe(
      `at most ${ELEMENTS_MAX} elements in the arrays of one message`,
    );
    bytes.writeInt32BE(ELEMENTS_MAX);
    expect(decodeRequest(metadata, 1, bytes.subarray(0, -2)).topics).toHaveLength(ELEMENTS_MAX);
  });

  test("an answer may have many more: who reads it has asked for it", () => {
    const brokers = Array.from({ length: ELEMENTS_MAX + 1 }, (_, nodeId) => ({ nodeId, host: "h", port: 1 }));
    const bytes = encodeResponse(metadata, 1, { brokers, topics: [] });
    expect(decodeResponse(metadata, 1, bytes).brokers).toHaveLength(ELEMENTS_MAX + 1);
  });

  test("arrays within arrays count together", () => {
    const partitions = Array.from({ length: ELEMENTS_MAX / 2 }, () => 0);
    const forgotten = { topic: "t", partitions };
    const request = { maxWaitMs: 0, minBytes: 0, topics: [], forgottenTopicsData: [forgotten, forgotten] };
    const { path } = malformedOf(() => decodeRequest(fetch, 7, encodeRequest(fetch, 7, request)));
    expect(path).toBe("forgottenTopicsData[1].partitions");
  });
});

describe("null", () => {
  test("is refused where the version does not allow it, and read where it does", () => {
    expect(malformedOf(() => decodeRequest(metadata, 0, hex("ffffffff"))).message).toBe(
      "topics: expected a value, as null is not allowed here at byte 0",
    );
    expect(decodeRequest(metadata, 1, hex("ffffffff")).topics).toBeNull();
    expect(malformedOf(() => decodeRequest(metadata, 1, hex("00000001 ffff"))).path).toBe("topics[0].name");
    expect(malformedOf(() => decodeRequest(metadata, 9, hex("02 00 00 00 00 00 00"))).path).toBe(
      "topics[0].name",
    );
  });

  test("is not written where the version does not allow it", () => {
    expect(() => encodeRequest(metadata, 0, { topics: null })).toThrow(
      new Unencodable("topics: null is not allowed in this version"),
    );
    const failed = { errorCode: 25, protocolName: null, leader: "", memberId: "m", members: [] };
    expect(encodeResponse(joinGroup, 7, failed)).toBeInstanceOf(Buffer);
    expect(() => encodeResponse(joinGroup, 6, failed)).toThrow("protocolName: null is not allowed");
  });
});

describe("values that have no form", () => {
  test.for([
    [
      "beyond its bits",
      { groupId: "g", sessionTimeoutMs: 2 ** 31 },
      "sessionTimeoutMs: 2147483648 is not an int32",
    ],
    ["not whole", { groupId: "g", sessionTimeoutMs: 0.5 }, "sessionTimeoutMs: 0.5 is not an int32"],
    ["longer than a string may be", { groupId: "x".repeat(32_768) }, "groupId: a string of 32768 bytes"],
  ] as const)("a value %s is the caller's mistake, named by its field", ([_name, part, message]) => {
    const request = { groupId: "g", sessionTimeoutMs: 1, memberId: "", protocolType: "c", protocols: [] };
    expect(() => encodeRequest(joinGroup, 5, { ...request, ...part })).toThrow(message);
  });

  test("a field without a default that is missing is named; one with a default need not be there", () => {
    const member = { memberId: "m" } as { memberId: string; errorCode: number };
    expect(() => encodeResponse(API_TABLE[13], 3, { errorCode: 0, members: [member] })).toThrow(
      new Unencodable("members[0].errorCode: missing"),
    );
    expect(encodeResponse(API_TABLE[13], 3, { errorCode: 0 })).toEqual(hex("00000000 0000 00000000"));
  });

  test("an int64 beyond 2^53 is the nearest that has a form when it is read, and is never written", () => {
    const asked = { transactionalId: null, transactionTimeoutMs: 1, producerId: 5 };
    const bytes = encodeRequest(API_TABLE[22], 3, asked);
    const at = bytes.length - 11;
    for (const [number, nearest] of [
      [2n ** 53n, Number.MAX_SAFE_INTEGER],
      [2n ** 63n - 1n, Number.MAX_SAFE_INTEGER],
      [-(2n ** 53n) + 1n, Number.MIN_SAFE_INTEGER],
      [-(2n ** 63n), Number.MIN_SAFE_INTEGER],
    ] as const) {
      bytes.writeBigInt64BE(number, at);
      expect(decodeRequest(API_TABLE[22], 3, bytes).producerId).toBe(nearest);
    }
    expect(() => encodeRequest(API_TABLE[22], 3, { ...asked, producerId: 2 ** 53 })).toThrow(Unencodable);
  });

  test("a version that is not served is a mistake of the caller, also one that is advertised", () => {
    const request = { acks: 1, timeoutMs: 1, topicData: [] };
    expect(() => encodeRequest(produce, 2, request)).toThrow(
      new RangeError("Produce has no version 2; its versions are 3-11"),
    );
    expect(() => decodeRequest(produce, 12, Buffer.alloc(0))).toThrow(RangeError);
  });
});

describe("what stands behind", () => {
  test("bytes behind a message are refused where the message is all, and left alone where it is not", () => {
    const bytes = hex("ffffffff 01 aa");
    expect(malformedOf(() => decodeRequest(metadata, 4, bytes)).message).toBe(
      "expected the end, 1 bytes earlier at byte 5",
    );
    const reader = new Reader(bytes);
    expect(readRequest(metadata, 4, reader).topics).toBeNull();
    expect(reader.remaining).toBe(1);
  });

  test("a known tagged field fills its size exactly", () => {
    const request = {
      maxWaitMs: 0,
      minBytes: 0,
      topics: [],
      replicaState: { replicaId: 1, replicaEpoch: 2 },
    };
    const bytes = encodeRequest(fetch, 15, request);
    expect(decodeRequest(fetch, 15, bytes).replicaState).toEqual({ replicaId: 1, replicaEpoch: 2 });
    const size = bytes.length - 14;
    expect(bytes[size]).toBe(13);
    for (const other of [12, 0]) {
      bytes[size] = other;
      expect(malformedOf(() => decodeRequest(fetch, 15, bytes)).path).toMatch(/^replicaState/);
    }
  });
});
