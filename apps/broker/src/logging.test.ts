import { BrokerError } from "@minikafka/core";
import { pino } from "pino";
import { expect, test } from "vitest";
import { type LogLevel, stepProblemTo, traceTo } from "./logging.ts";

function logged(level: LogLevel) {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level, base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { trace: traceTo(log), onProblem: stepProblemTo(log), lines };
}

const place = { brokerId: 1, topic: "orders", partition: 0 };
const recovered = { kind: "recovered", ...place, logEndOffset: 5, recoveryPoint: 0, problem: null } as const;

test("at the usual level there is no line for each batch, and one for what an operator wants to know", () => {
  const { trace, lines } = logged("info");
  trace({ kind: "fetched", ...place, offset: 0, nextOffset: 1, bytes: 80, highWatermark: 1 });
  trace({ kind: "topic_created", topic: "orders", partitions: 1, replicationFactor: 1 });
  expect(lines).toMatchObject([{ msg: "topic created", topic: "orders", partitions: 1 }]);
});

test("what a start does with its files and its groups' offsets is for the curious, not for who reads what to type next", () => {
  const told = (level: LogLevel) => {
    const { trace, lines } = logged(level);
    const [startOffset, endOffset] = [0, 4];
    trace({ kind: "coordinator_loaded", ...place, leaderEpoch: 1, startOffset, endOffset, records: 4 });
    const segments = { sealedSegments: 1, obsoleteSegments: 0 };
    trace({ kind: "manifest_committed", ...place, logStartOffset: 0, recoveryPoint: 4, ...segments });
    return lines.map(({ msg }) => msg);
  };
  expect([told("info"), told("debug")]).toEqual([[], ["coordinator loaded", "manifest committed"]]);
});

test("a recovery is news when it scanned, a warning when it cut, and nothing after a clean end", () => {
  const { trace, lines } = logged("info");
  trace({ ...recovered, scannedBytes: 0, cutBytes: 0 });
  trace({ ...recovered, scannedBytes: 100, cutBytes: 0 });
  trace({ ...recovered, scannedBytes: 100, cutBytes: 20 });
  expect(lines.map(({ level }) => level)).toEqual([30, 40]);
});

test("the life of a transaction is no news, but that it ended without its producer's asking is", () => {
  const { trace, lines } = logged("info");
  const id = { transactionalId: "billing", producerId: 7, producerEpoch: 0 };
  trace({ kind: "transaction_begun", ...id });
  trace({ kind: "transaction_prepared", ...id, committed: true, cause: "request", partitions: 1 });
  trace({ kind: "transaction_completed", ...id, committed: true, partitions: 1 });
  expect(lines).toEqual([]);
  trace({ kind: "transaction_prepared", ...id, committed: false, cause: "timeout", partitions: 1 });
  expect(lines).toMatchObject([
    { msg: "transaction prepared", transactionalId: "billing", cause: "timeout" },
  ]);
});

test("a step that failed is a warning in a sentence when that passes, else an error with its stack", () => {
  const { onProblem, lines } = logged("info");
  const site = { topic: "orders", partition: 0 };
  onProblem("expire_transactions", new BrokerError("LEADER_NOT_AVAILABLE", "orders-0 has no leader", site));
  onProblem("compact", new BrokerError("STORAGE_ERROR", "a file is damaged"));
  onProblem("compact", new TypeError("a fault"));
  const [passing, ...errors] = lines;
  expect(passing).toMatchObject({
    level: 40,
    step: "expire_transactions",
    code: "LEADER_NOT_AVAILABLE",
    problem: "orders-0 has no leader",
    details: site,
  });
  expect(JSON.stringify(passing)).not.toContain("stack");
  expect(errors).toMatchObject([
    { level: 50, step: "compact", err: { code: "STORAGE_ERROR", stack: expect.any(String) } },
    { level: 50, step: "compact", err: { type: "TypeError", stack: expect.any(String) } },
  ]);
});
