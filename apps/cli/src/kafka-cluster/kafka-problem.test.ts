import { expect, test } from "vitest";
import { clientLibrary } from "./client-library.ts";
import { kafkaFailure } from "./kafka-problem.ts";

test.each([
  ["UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC", "deleted meanwhile"],
  ["INVALID_TOPIC_EXCEPTION", "KAFKA_REFUSED", "--as NAME"],
  ["TOPIC_AUTHORIZATION_FAILED", "KAFKA_REFUSED", "ACLs"],
] as const)("%s is told as a failure, and with what helps there", async (name, code, hint) => {
  const { ProtocolError } = await clientLibrary();
  const failure = kafkaFailure(
    new ProtocolError(name, "its own word"),
    "writing 1 record to t [0]",
    "kafka://there:1",
  );
  expect(failure).toMatchObject({
    code,
    hint: expect.stringContaining(hint),
    details: { kafka_error: name },
  });
  expect(failure.message).toMatch(`writing 1 record to t [0] at kafka://there:1 failed: ${name}: `);
});
