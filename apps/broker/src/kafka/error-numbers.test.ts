import type { ErrorCode } from "@minikafka/protocol";
import { type KafkaErrorName, kafkaErrorName } from "@minikafka/protocol/kafka";
import { expect, test } from "vitest";
import { numberOfCode } from "./error-numbers.ts";

function nameOf(code: ErrorCode, api: string, version = 0): string | undefined {
  return kafkaErrorName(numberOfCode(code, { api, version }));
}

const COORDINATED = ["Heartbeat", "JoinGroup", "OffsetCommit", "FindCoordinator", "EndTxn", "InitProducerId"];

test.each<[code: ErrorCode, name: KafkaErrorName]>([
  ["LEADER_NOT_AVAILABLE", "COORDINATOR_NOT_AVAILABLE"],
  ["NOT_ENOUGH_REPLICAS", "COORDINATOR_NOT_AVAILABLE"],
  ["REQUEST_TIMED_OUT", "COORDINATOR_NOT_AVAILABLE"],
  ["STORAGE_ERROR", "NOT_COORDINATOR"],
  ["BROKER_FAILED", "NOT_COORDINATOR"],
])("%s of a coordinator is %s, after which clients look for it anew", (code, name) => {
  expect(COORDINATED.map((api) => nameOf(code, api))).toEqual(COORDINATED.map(() => name));
});

test("who fetches offsets is told NOT_COORDINATOR by one that cannot answer, which old consumers understand", () => {
  for (const code of ["NOT_ENOUGH_REPLICAS", "REQUEST_TIMED_OUT", "STORAGE_ERROR"] as const)
    expect(nameOf(code, "OffsetFetch", 9)).toBe("NOT_COORDINATOR");
  expect(nameOf("LEADER_NOT_AVAILABLE", "OffsetFetch", 9)).toBe("COORDINATOR_NOT_AVAILABLE");
});

test("a record that is too long is the fault of a commit's offsets, and elsewhere of the coordinator", () => {
  expect(nameOf("RECORD_TOO_LARGE", "OffsetCommit")).toBe("INVALID_COMMIT_OFFSET_SIZE");
  expect(nameOf("RECORD_TOO_LARGE", "SyncGroup")).toBe("UNKNOWN_SERVER_ERROR");
  expect(nameOf("RECORD_TOO_LARGE", "Produce")).toBe("MESSAGE_TOO_LARGE");
});

test("a partition's leader names its own trouble", () => {
  expect(nameOf("REQUEST_TIMED_OUT", "Produce")).toBe("REQUEST_TIMED_OUT");
  expect(nameOf("STORAGE_ERROR", "Fetch", 6)).toBe("KAFKA_STORAGE_ERROR");
  expect(nameOf("STORAGE_ERROR", "Fetch", 5)).toBe("NOT_LEADER_OR_FOLLOWER");
  expect(nameOf("BROKER_FAILED", "Produce")).toBe("KAFKA_STORAGE_ERROR");
});

test("a fenced producer is told so by versions that know the word, and by its epoch before (KIP-588)", () => {
  for (const code of ["PRODUCER_FENCED", "TRANSACTION_ABORTED"] as const) {
    expect(nameOf(code, "EndTxn", 2)).toBe("PRODUCER_FENCED");
    expect(nameOf(code, "EndTxn", 1)).toBe("INVALID_PRODUCER_EPOCH");
    expect(nameOf(code, "Produce", 11)).toBe("INVALID_PRODUCER_EPOCH");
  }
});
