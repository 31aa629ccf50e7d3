/**
 * The differences that are meant, each with its reason: deliberate boundaries, which docs/kafka-mapping.md tells to users. One that
 * is not seen any more fails a whole run, so that the list stays true.
 */
import type { Expectation } from "../compare.ts";
import { GROUP_BOUNDARIES } from "./groups.ts";
import { LOG_BOUNDARIES } from "./log.ts";
import { TOPIC_BOUNDARIES } from "./topics.ts";
import { TRANSACTION_BOUNDARIES } from "./transactions.ts";

const VERSIONS: readonly (readonly [api: string, ours: string, kafka: string])[] = [
  ["Produce", "0-11", "0-13"],
  ["Fetch", "4-17", "4-18"],
  ["ListOffsets", "1-7", "1-11"],
  ["Metadata", "0-12", "0-13"],
  ["OffsetCommit", "2-9", "2-10"],
  ["OffsetFetch", "1-9", "1-10"],
  ["DescribeGroups", "0-5", "0-6"],
  ["AddPartitionsToTxn", "0-3", "0-5"],
  ["EndTxn", "0-4", "0-5"],
  ["TxnOffsetCommit", "0-4", "0-5"],
  ["DescribeLogDirs", "1-4", "1-5"],
  ["AlterPartitionReassignments", "0-0", "0-1"],
  ["DescribeCluster", "0-1", "0-2"],
  ["ListTransactions", "0-1", "0-2"],
];

const OF_ALL: readonly Expectation[] = [
  ...VERSIONS.map(([path, ours, kafka]) => ({
    ...{ scenario: "api versions", step: "the versions of the APIs that are here", path, ours, kafka },
    reason: "the versions that clients speak; what newer ones bring is not offered",
  })),
  {
    ...{ scenario: "*", path: "*rrorMessage", ours: "<words>", kafka: "null" },
    reason: "an error has words here, also where Kafka leaves them out",
  },
  {
    ...{
      scenario: "sasl",
      path: "errorCode",
      ours: "UNSUPPORTED_SASL_MECHANISM",
      kafka: "ILLEGAL_SASL_STATE",
    },
    reason: "there is no SASL: the sentence that clients make of it is clearer",
  },
  {
    ...{ scenario: "metadata", step: "by neither", ours: "INVALID_REQUEST", kafka: "UNKNOWN_SERVER_ERROR" },
    reason: "a topic without name and id is a mistake of the request, not a fault of the broker",
  },
  {
    ...{ scenario: "metadata", step: "an internal name that may be made", path: "*errorCode" },
    reason: "names that begin with __ are the broker's own",
  },
  {
    ...{ scenario: "*", ours: "INVALID_REQUEST", kafka: "UNKNOWN_SERVER_ERROR", step: "*that nobody knows" },
    reason: "a number that means nothing is a mistake of the request, not a fault of the broker",
  },
];

export const EXPECTED: readonly Expectation[] = [
  ...OF_ALL,
  ...LOG_BOUNDARIES,
  ...TOPIC_BOUNDARIES,
  ...GROUP_BOUNDARIES,
  ...TRANSACTION_BOUNDARIES,
];
