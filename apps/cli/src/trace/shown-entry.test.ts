import { API_TABLE, requestFrame } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { shownEntry } from "./shown-entry.ts";

test("a request of Kafka's is shown by its API, its version and its size, and one that cannot be read as such", () => {
  const header = { apiVersion: 4, correlationId: 1, clientId: "c" };
  const frame = Buffer.concat(requestFrame(API_TABLE[3], header, { topics: null })).subarray(4);
  const request = { number: 3, connection: 2, broker_id: 1, client_host: "/127.0.0.1" };
  const shown = (bytes: Buffer) =>
    shownEntry(JSON.stringify({ kafka_request: { ...request, frame_b64: bytes.toString("base64") } }));
  expect(shown(frame)).toBe(`> 3 (connection 2, broker 1) Kafka Metadata v4, ${frame.length} bytes`);
  expect(shown(Buffer.from("x"))).toBe("> 3 (connection 2, broker 1) Kafka ?, 1 bytes");
  expect(shownEntry(JSON.stringify({ request: { number: 4, connection: 2, line_b64: "/w==" } }))).toBe(
    "> 4 (connection 2) 1 bytes that are not UTF-8",
  );
  const refused = { connection: 2, request: null, broker_id: 1, reason: "a frame of 0 bytes" };
  expect(shownEntry(JSON.stringify({ refused }))).toBe('! - (connection 2, broker 1) "a frame of 0 bytes"');
  const answer = { request: 3, frame_b64: Buffer.alloc(9).toString("base64") };
  expect(shownEntry(JSON.stringify({ kafka_answer: answer }))).toBe("< 3 Kafka, 9 bytes");
});
