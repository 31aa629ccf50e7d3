/** Of transactions. */
import type { Expectation } from "../compare.ts";

export const TRANSACTION_BOUNDARIES: readonly Expectation[] = [
  {
    ...{ scenario: "transactions", path: "*.lastTimestamp", ours: "<now>", kafka: "1000000" },
    reason: "a producer's last time is the broker's, not its records'",
  },
  {
    ...{ scenario: "transactions", path: "*.coordinatorEpoch", ours: "-1", kafka: "0" },
    reason: "who ended a producer's last transaction is not kept with the partition",
  },
  {
    ...{ scenario: "transactions", path: "*.transactionStartTimeMs", ours: "-1", kafka: "<now>" },
    reason: "no transaction is open, so that none has begun",
  },
  {
    ...{ scenario: "transactions that are refused", step: "a record where no partition was added" },
    reason: "a write to a partition that was not added adds it",
  },
  {
    ...{ scenario: "transactions that are refused", path: "*.logStartOffset", ours: "-1", kafka: "0" },
    reason: "an error tells nothing of the log",
  },
  {
    ...{ scenario: "transactions that are refused", step: "an id below -1" },
    reason: "a producer id is -1, for none, or one that the cluster gave",
  },
  {
    ...{ scenario: "transactions that are refused", step: "an identity that nobody was given" },
    reason:
      "a transactional id that is new, or was forgotten, gets a new identity, whatever its producer had before",
  },
  ...["a member that is none", "a generation without a member", "an instance that is none"].map((step) => ({
    ...{
      scenario: "transactions with offsets",
      step,
      ours: "ILLEGAL_GENERATION",
      kafka: "UNKNOWN_MEMBER_ID",
    },
    reason: "a group of which only an open transaction has offsets is not there yet",
  })),
  ...["one that nobody has", "one without a name"].map((step) => ({
    ...{ scenario: "list transactions", step },
    reason: "of what is not there id and epoch are -1, not 0",
  })),
];
