/** Of Produce, Fetch, ListOffsets and DeleteRecords. */
import type { Expectation } from "../compare.ts";

/** Both the answer to a batch and what is in the log behind it. */
function wrong(step: string, reason: string, more: Partial<Expectation> = {}): Expectation[] {
  const scenario = "produce what is wrong";
  return [step, `what is there after ${step}`].map((each) => ({ scenario, step: each, reason, ...more }));
}

/** The answer alone, where neither side appends anything. */
function refused(step: string, ours: string, kafka: string, reason: string): Expectation {
  return { scenario: "produce what is wrong", step, path: "*.errorCode", ours, kafka, reason };
}

const UNPACKED = "what cannot be unpacked is told as that, where Kafka's broker has a fault";
const STRICT = "a record has the offset that its place says; no client sends another";

const PRODUCED: readonly Expectation[] = [
  {
    ...{ scenario: "produce*", path: "*.logStartOffset", ours: "-1", kafka: "0" },
    reason: "an error tells nothing of the log",
  },
  {
    ...{ scenario: "produce", step: "no partition at all", path: "responses" },
    reason: "a topic without partitions is in the answer, as it is in the request",
  },
  {
    ...{ scenario: "produce by settings", step: "*with too few replicas" },
    reason: "min.insync.replicas is meant as it is said, also beyond the number of replicas",
  },
  {
    ...{ scenario: "produce by settings", path: "*.recordErrors", ours: "[]" },
    reason: "the errors of single records (KIP-467) are not told",
  },
  {
    ...{ scenario: "produce with sequences", path: "*.logAppendTimeMs", ours: "-1", kafka: "1000000" },
    reason: "Kafka tells a repeated batch's own time as that of its append",
  },
  {
    ...{ scenario: "produce with sequences", step: "sequences 1 to 3 with other records" },
    reason: "other records for sequences that are taken are refused, not told as written and dropped",
  },
  ...["an id that nobody was given*", "sequences that go over the top", "sequences behind the top"].map(
    (step) => ({
      ...{ scenario: "produce with sequences", step, path: "*.partitionResponses.0.*" },
      reason: "a producer id is one that the cluster gave",
    }),
  ),
  ...["who has written", "what is there now"].map((step) => ({
    ...{ scenario: "produce with sequences", step },
    reason: "those are the records of ids that nobody was given",
  })),
];

const WRONG: readonly Expectation[] = [
  ...wrong("a batch with bytes behind it", "what is behind a batch is no batch"),
  refused(
    "a length one too short",
    "INVALID_RECORD",
    "CORRUPT_MESSAGE",
    "the length is judged before the CRC",
  ),
  ...wrong("append times", "times of the append are the broker's to say, whatever the topic's setting"),
  ...[5, 7].map((codec) =>
    refused(
      `a codec of number ${codec}`,
      "UNSUPPORTED_COMPRESSION_TYPE",
      "UNKNOWN_SERVER_ERROR",
      "a codec that nobody has is told as that",
    ),
  ),
  ...[
    "gzip that is none",
    "snappy that is none",
    "lz4 that is none",
    "zstd that is none",
    "gzip, cut off",
  ].map((step) => refused(step, "INVALID_RECORD", "UNKNOWN_SERVER_ERROR", UNPACKED)),
  {
    ...{ scenario: "produce what is wrong", step: "what is there after a bit that nobody knows" },
    ...{ path: "*.attributes", ours: "0", kafka: "128" },
    reason: "bits of a batch's attributes that nobody knows are dropped",
  },
  ...wrong("a first record with the offset 1", STRICT),
  ...wrong("records in the wrong order", STRICT),
  ...wrong("times of -5", "a record has a time since 1970, or none (-1)"),
  ...wrong(
    "a time in a far future",
    "the bounds of KIP-937 are missing: any time that a date can hold is taken",
  ),
  ...["an epoch", "a sequence"].map((what) => ({
    ...{ scenario: "produce what is wrong", step: `what is there after ${what} without a producer` },
    reason: "a batch without a producer id has neither epoch nor sequence, whatever it was sent with",
  })),
  ...wrong("a producer without an epoch", "a producer id comes with its epoch"),
];

/** Of Fetch alone. */
function fetched(step: string, reason: string, more: Partial<Expectation> = {}): Expectation {
  return { scenario: "fetch", step, reason, ...more };
}

const READ: readonly Expectation[] = [
  fetched("*", "null and an empty list mean the same: nobody asked for committed records", {
    ...{ path: "*.abortedTransactions", ours: "null", kafka: "[]" },
  }),
  fetched("less than a byte", "less than nothing is taken for nothing: a batch comes all the same"),
  fetched("a replica that is none", "replicas do not fetch by this protocol; their fields are passed over"),
  fetched("no partition", "a topic without partitions is in the answer, as it is in the request"),
  fetched("a partition twice", "what is asked twice is answered twice"),
  fetched("the epoch of a record behind the end", "Fetch does not tell where logs part (KIP-595)"),
  fetched("an epoch of the last record that is to come", "Fetch does not tell where logs part (KIP-595)"),
  fetched("an isolation that nobody knows", "an error stands with the partitions as well", {
    path: "responses",
  }),
  fetched("a session that begins", "fetch sessions are declined"),
  fetched("a session that nobody began", "an error stands with the partitions as well", {
    path: "responses",
  }),
  fetched("a session with an epoch below -1", "fetch sessions are declined: what is 0 or less asks for none"),
  {
    ...{ scenario: "list offsets", step: "a partition twice" },
    reason: "what is asked twice is answered twice; Kafka tells the error once",
  },
  {
    ...{ scenario: "delete records", step: "a partition twice" },
    reason: "what is asked twice is done twice",
  },
];

export const LOG_BOUNDARIES: readonly Expectation[] = [...PRODUCED, ...WRONG, ...READ];
