/** The differences that are meant. Each is a deliberate boundary, and stands in docs/kafka-mapping.md. */
import type { Expectation } from "./compare.ts";

export const EXPECTED: readonly Expectation[] = [
  {
    scenario: "*",
    path: "*rrorMessage",
    ours: "<words>",
    kafka: "null",
    reason: "an error has words here, also where Kafka leaves them out",
  },
  {
    scenario: "produce*",
    path: "*.logStartOffset",
    ours: "-1",
    kafka: "0",
    reason: "an error tells nothing of the log",
  },
];
