import { ORIGINAL_DIALS } from "@minikafka/core";
import { expect, test } from "vitest";
import { resolveSettings } from "./config.ts";
import { dialsOf } from "./dials.ts";

function dials(values: object) {
  return dialsOf(resolveSettings([{ name: "the test", values: { data: "d", ...values } }]));
}

const SIZES = {
  replicaLagTimeMs: 10_000,
  replicaFetchMaxBytes: 1_048_576,
  groupSessionTimeoutMs: 10_000,
  groupRebalanceTimeoutMs: 300_000,
  groupMinSessionTimeoutMs: 6_000,
  groupMaxSessionTimeoutMs: 1_800_000,
  groupMaxSize: 1_000,
  groupInitialRebalanceDelayMs: 0,
  offsetsTopicPartitions: 4,
  offsetsRetentionMs: 604_800_000,
  transactionMaxTimeoutMs: 900_000,
  transactionalIdExpirationMs: 604_800_000,
  transactionsTopicPartitions: 4,
};

test("the profile sets every dial that has a value of the original's, and none otherwise", () => {
  expect(dials({})).toEqual(SIZES);
  expect(dials({ profile: "original" })).toEqual({ ...ORIGINAL_DIALS, ...SIZES });
});

test("what is said of one dial goes before the profile", () => {
  expect(dials({ profile: "original", reconciliation: "leader-epoch", replica_lag_max_offsets: 0 })).toEqual({
    ...ORIGINAL_DIALS,
    ...SIZES,
    reconciliation: "leader-epoch",
    replicaLagMaxOffsets: null,
  });
  expect(
    dials({
      ack_rule: "captured-isr",
      high_watermark_checkpoint: false,
      duplicate_window: 2,
      rebalance: "immediate",
    }),
  ).toEqual({
    ...SIZES,
    ackRule: "captured-isr",
    highWatermarkCheckpoint: false,
    duplicateWindow: 2,
    rebalance: "immediate",
  });
});
