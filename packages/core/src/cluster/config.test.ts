import { expect, test } from "vitest";
import { type ClusterConfig, resolveConfig } from "./config.ts";

test("a data folder is enough; the rest has the defaults of a stepped cluster", () => {
  const config = resolveConfig({ dataFolder: "/data" });
  expect(config).toEqual({
    dataFolder: "/data",
    brokerIds: [1],
    segmentBytes: 1_048_576,
    indexIntervalBytes: 4096,
    offsetsTopicPartitions: 4,
    offsetsRetentionMs: 604_800_000,
    openFilesMax: 512,
    batchBytesMax: 2_097_152,
    compactionBufferBytes: 134_217_728,
    flush: "ack",
    duplicateWindow: 5,
    rebalance: "barrier",
    groupSessionTimeoutMs: 10_000,
    groupRebalanceTimeoutMs: 300_000,
    groupMinSessionTimeoutMs: 6_000,
    groupMaxSessionTimeoutMs: 1_800_000,
    groupMaxSize: 1_000,
    groupInitialRebalanceDelayMs: 0,
    transactionMaxTimeoutMs: 900_000,
    transactionalIdExpirationMs: 604_800_000,
    transactionsTopicPartitions: 4,
    reconciliation: "leader-epoch",
    highWatermarkCheckpoint: true,
    ackRule: "high-watermark",
    replicaLagTimeMs: 10_000,
    replicaLagMaxOffsets: null,
    replicaFetchMaxBytes: 1_048_576,
    producerExpirationMs: 86_400_000,
    reserveBytes: 0,
  });
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.brokerIds)).toBe(true);
});

test.each<[Partial<ClusterConfig>, string]>([
  [{ reserveBytes: -1 }, "reserveBytes is -1; expected a whole number, 0 to 67108864"],
  [{ dataFolder: "" }, "dataFolder is empty; expected a path"],
  [{ brokerIds: [] }, "brokerIds names 0 brokers; expected 1 to 16"],
  [{ brokerIds: Array.from({ length: 17 }, (_, id) => id) }, "brokerIds names 17 brokers; expected 1 to 16"],
  [{ brokerIds: [1, 2, 1] }, "brokerIds names broker 1 twice; expected each once"],
  [{ brokerIds: [-1] }, "a broker's id is -1; expected a whole number, 0 to 2147483647"],
  [{ segmentBytes: 1000 }, "segmentBytes is 1000; expected a whole number, 1024 to 2147483647"],
  [{ indexIntervalBytes: 0 }, "indexIntervalBytes is 0; expected a whole number, 1 to 2147483647"],
  [{ openFilesMax: 9 }, "openFilesMax is 9; expected a whole number, 10 to 1000000"],
  [{ duplicateWindow: 6 }, "duplicateWindow is 6; expected a whole number, 1 to 5"],
  [{ producerExpirationMs: 0 }, "producerExpirationMs is 0; expected a whole number, 1 to 9007199254740991"],
  [{ offsetsTopicPartitions: 0 }, "offsetsTopicPartitions is 0; expected a whole number, 1 to 1000"],
  [{ offsetsRetentionMs: 0 }, "offsetsRetentionMs is 0; expected a whole number, 1 to 9007199254740991"],
  [
    { transactionMaxTimeoutMs: 0 },
    "transactionMaxTimeoutMs is 0; expected a whole number, 1 to 9007199254740991",
  ],
  [
    { transactionsTopicPartitions: 0 },
    "transactionsTopicPartitions is 0; expected a whole number, 1 to 1000",
  ],
  [{ groupMinSessionTimeoutMs: 0 }, "groupMinSessionTimeoutMs is 0; expected a whole number, 1 to 3600000"],
  [
    { groupMaxSessionTimeoutMs: 5_999 },
    "groupMaxSessionTimeoutMs is 5999; expected a whole number, 6000 to 3600000",
  ],
  [{ groupMaxSize: 1_001 }, "groupMaxSize is 1001; expected a whole number, 1 to 1000"],
  [
    { groupInitialRebalanceDelayMs: -1 },
    "groupInitialRebalanceDelayMs is -1; expected a whole number, 0 to 86400000",
  ],
  [{ batchBytesMax: 3e9 }, "batchBytesMax is 3000000000; expected a whole number, 64 to 2097152"],
  [{ compactionBufferBytes: 1 }, "compactionBufferBytes is 1; expected a whole number, 1024 to 4294967296"],
  [{ flush: "before-ack" as "ack" }, "flush is before-ack; expected ack, interval, os"],
])("%j is refused by name", (change, message) => {
  expect(() => resolveConfig({ dataFolder: "/data", ...change })).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIG", message }),
  );
});
