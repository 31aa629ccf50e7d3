import { readRequest } from "@minikafka/protocol";
import { encodeBatch } from "@minikafka/record";
import { expect, test } from "vitest";
import { requestLine } from "./request-line.ts";

test("a request is one line that the broker's reader takes, with the id it was given", () => {
  const line = requestLine(7, { operation: "metadata", fields: { topic: "bestellungen-ä" } });
  expect(line.at(-1)).toBe(0x0a);
  expect(readRequest(line.subarray(0, -1))).toMatchObject({
    kind: "request",
    id: 7,
    request: { operation: "metadata", topic: "bestellungen-ä" },
  });
});

test("bytes that go beside the JSON fields arrive as they were, also after fields beyond ASCII", () => {
  const record = { key: null, value: Buffer.from([0, 1, 2, 255]), timestampMs: 3, headers: [] };
  const bytes = encodeBatch({ records: [record] });
  const fields = { topic: "größe", partition: 1, acks: "1" };
  const line = requestLine(1, { operation: "produce", fields, bytes: { name: "batch_b64", bytes } });
  expect(readRequest(line.subarray(0, -1))).toMatchObject({ request: { topic: "größe", batch_b64: bytes } });
});

test("fields cannot take the place of the operation and the id", () => {
  const line = requestLine(1, { operation: "ping", fields: { operation: "delete_topic", id: "mine" } });
  expect(JSON.parse(line.toString())).toEqual({ operation: "ping", id: 1 });
});
