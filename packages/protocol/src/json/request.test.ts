import { expect, test } from "vitest";
import { readRequest } from "./request.ts";

const read = (request: unknown) =>
  readRequest(Buffer.from(typeof request === "string" ? request : JSON.stringify(request)));
const produce = { operation: "produce", topic: "orders" };

test("the shapes of the original's lines are understood, with its defaults", () => {
  expect(
    read({ operation: "create_topic", topic: "orders", partitions: 2, replication_factor: 1 }),
  ).toMatchObject({
    kind: "request",
    request: { topic: "orders", partitions: 2, replication_factor: 1 },
  });
  expect(read({ ...produce, key_b64: "YWxpY2U=", value_b64: "Y3JlYXRlZA==", acks: "all" })).toMatchObject({
    kind: "request",
    request: { partition: 0, key_b64: Buffer.from("alice"), value_b64: Buffer.from("created"), acks: "all" },
  });
  expect(read({ operation: "fetch", topic: "orders", partition: 1, offset: 0 })).toMatchObject({
    request: {
      max_records: 100,
      isolation: "read_uncommitted",
      max_bytes: 1_048_576,
      max_wait_ms: 0,
      encoding: "records",
    },
  });
});

test.each<[unknown, unknown]>([
  ["0", 0],
  ["1", 1],
  ["all", "all"],
  [0, 0],
  [1, 1],
  [-1, "all"],
  [undefined, 1],
])("acks %j mean %j", (acks, meaning) => {
  expect(read({ ...produce, acks })).toMatchObject({ kind: "request", request: { acks: meaning } });
});

test("a group's name is counted in characters, whichever operation has it, and text is well-formed", () => {
  const commit = (fields: object) => ({ topic: "t", partition: 0, offset: 1, ...fields });
  for (const [fields, refusal] of [
    [{ group_id: "\u{1f600}".repeat(255) }, null],
    [
      { group_id: "\u{1f600}".repeat(256) },
      /^group_id: expected text of 1 to 255 characters, received "(?:\\u\{1f600\}){64}…" of 256 characters$/,
    ],
    [{ offsets: [commit({ metadata: "\u{1f600}".repeat(4096) })] }, null],
    [
      { offsets: [commit({ metadata: "x".repeat(4097) })] },
      /^offsets.0.metadata: expected text of at most 4096 characters, received "x{64}…" of 4097 characters$/,
    ],
    [
      { offsets: [commit({ metadata: "\ud800" })] },
      /^offsets.0.metadata: expected text without lone surrogates, received "\\u\{d800\}"$/,
    ],
  ] as const) {
    const asked = read({ operation: "commit_offsets", group_id: "g", offsets: [commit({})], ...fields });
    expect(asked).toMatchObject(
      refusal === null ? { kind: "request" } : { message: expect.stringMatching(refusal) },
    );
  }
});

test("null and the empty string stay different", () => {
  expect(read({ ...produce, key_b64: null, value_b64: "" })).toMatchObject({
    request: { key_b64: null, value_b64: Buffer.alloc(0) },
  });
});

test.each<[string, unknown, RegExp]>([
  ["an unknown field", { operation: "ping", pong: 1 }, /^pong: no such field; known are operation, id$/],
  ["a field named __proto__", '{"operation":"ping","__proto__":{}}', /the name "__proto__" is taken nowhere/],
  ["a missing field", { operation: "fetch", topic: "t", partition: 0 }, /^offset: expected/],
  ["a number as text", { operation: "fetch", topic: "t", partition: "0", offset: 0 }, /^partition: expected/],
  [
    "a fraction",
    { operation: "fetch", topic: "t", partition: 0.5, offset: 0 },
    /^partition: expected a whole number from 0 .* received 0\.5$/,
  ],
  [
    "a boolean for a number",
    { operation: "fetch", topic: "t", partition: true, offset: 0 },
    /^partition: expected/,
  ],
  [
    "a negative offset",
    { operation: "fetch", topic: "t", partition: 0, offset: -1 },
    /^offset: expected .* received -1$/,
  ],
  [
    "an offset past 2^53",
    '{"operation":"fetch","topic":"t","partition":0,"offset":9007199254740993}',
    /^offset: /,
  ],
  ["infinity", '{"operation":"fetch","topic":"t","partition":0,"offset":1e400}', /^offset: /],
  ["bad Base64", { ...produce, value_b64: "YWJ=" }, /^value_b64: expected strict Base64/],
  [
    "bad Base64 deep inside",
    { ...produce, records: [{ headers: [{ key: "h", value_b64: "*" }] }] },
    /^records\.0\.headers\.0\.value_b64: /,
  ],
  [
    "half a surrogate pair in a header's name",
    '{"operation":"produce","topic":"t","records":[{"headers":[{"key":"\\ud800"}]}]}',
    /^records\.0\.headers\.0\.key: expected text without lone surrogates/,
  ],
  ["unknown acks", { ...produce, acks: 2 }, /^acks: /],
  [
    "a timestamp no date can hold",
    { ...produce, records: [{ timestamp_ms: 8.64e15 + 2 }] },
    /^records\.0\.timestamp_ms: /,
  ],
  ["no operation", { topic: "t" }, /^operation: expected/],
  ["an operation that is not text", { operation: 1 }, /^operation: expected/],
  ["an id that is an object", { operation: "ping", id: {} }, /^id: expected/],
  ["not JSON", "nope", /not JSON/],
])("%s is refused by name", (_name, request, message) => {
  const answer = read(request);
  expect(answer).toMatchObject({ kind: "refused", code: "INVALID_REQUEST" });
  expect(answer.kind === "refused" && answer.message).toMatch(message);
});

const said = (request: unknown) => {
  const answer = read(request);
  return answer.kind === "refused" ? answer.message : null;
};

test.each<[object, string]>([
  [{ operation: "end_transaction", transactional_id: "t", producer_id: 1, producer_epoch: 0 }, "commit"],
  [{ operation: "fetch", topic: "t", partition: 0 }, "offset"],
  [{ operation: "leave_group", group_id: "g" }, "member_id"],
  [{ operation: "produce", topic: "t", records: [{ headers: [{}] }] }, "records.0.headers.0.key"],
])("a field that is missing in %j is said to be missing, not to be undefined", (request, field) => {
  expect(said(request)).toMatch(new RegExp(`^${field}: expected [^;,]+, but it is missing$`));
});

test("a field that is there, and is null or of another type, is not said to be missing", () => {
  expect(said({ operation: "fetch", topic: null, partition: 0, offset: 0 })).toBe(
    "topic: expected text, received null",
  );
  expect(said({ ...produce, acks: [] })).toBe(
    'acks: expected "0", "1", "all", 0, 1 or -1, received a list of 0 entries',
  );
});

test.each([
  ["offset", "9007199254740993", "more than 9007199254740991"],
  ["offset", "-9223372036854775808", "less than -9007199254740991"],
  ["max_wait_ms", "1e400", "more than 9007199254740991"],
  ["max_records", "-9007199254740993", "less than -9007199254740991"],
])("%s of %s is refused once, with its bounds and no digits that nobody wrote", (field, number, received) => {
  const offset = field === "offset" ? "" : '"offset":0,';
  const refusal = said(`{"operation":"fetch","topic":"t","partition":0,${offset}"${field}":${number}}`);
  expect(refusal).toMatch(
    new RegExp(`^${field}: expected a whole number from [01] to \\d{1,16}, received ${received}$`),
  );
});

test("a refusal echoes the id, so that a pipelining client knows which request it was", () => {
  expect(read({ operation: "ping", id: "a", x: 1 })).toMatchObject({ kind: "refused", id: "a" });
  expect(read({ operation: "nope", id: 7 })).toMatchObject({
    kind: "refused",
    id: 7,
    code: "UNSUPPORTED_OPERATION",
  });
});

const LONG = "A".repeat(8_000);

test.each<[string, string, unknown]>([
  ["a name that is taken nowhere", '{"id":7,"operation":"alter_config","config":{"__proto__":1}}', 7],
  ["one before the id", '{"config":{"__proto__":1},"\\u0069d":"x1"}', "x1"],
  ["one beside long bytes", `{"batch_b64":"${LONG}","id":8,"a":{"__proto__":1}}`, 8],
  ["a name twice", '{"operation":"ping","operation":"ping","id":"a"}', "a"],
  ["too many levels", `{"config":${"[".repeat(40)}${"]".repeat(40)},"id":9}`, 9],
  ["an id further down", '{"a":{"id":1,"__proto__":2}}', undefined],
  ["an id that is said twice", '{"id":1,"operation":"ping","id":2}', undefined],
  ["an id that is said again behind the problem", '{"id":1,"__proto__":0,"\\u0069d":2}', undefined],
  ["an id that is none", '{"id":{"a":1},"__proto__":0}', undefined],
  ["what is not JSON", '{"id":1,', undefined],
])("so does the refusal of a line for its JSON, where one id can be told: %s", (_name, line, id) => {
  const answer = read(line);
  expect(answer).toMatchObject({ kind: "refused", code: "INVALID_REQUEST" });
  expect(answer.id).toBe(id);
});

test.each(["__proto__", "constructor", "toString", "nope", ""])(
  "the operation %j does not exist",
  (operation) => {
    expect(read({ operation })).toMatchObject({ kind: "refused", code: "UNSUPPORTED_OPERATION" });
  },
);
