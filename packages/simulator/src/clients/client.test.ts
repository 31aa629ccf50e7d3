import { BrokerError } from "@minikafka/core";
import { expect, test } from "vitest";
import { isInDoubt } from "./client.ts";

type Refusal = ConstructorParameters<typeof BrokerError>;

function refused(code: Refusal[0], details: Refusal[2] = {}) {
  return { kind: "refused", code, problem: new BrokerError(code, "no", details) } as const;
}

test("what was refused before anything happened is in no doubt", () => {
  expect(isInDoubt(refused("NOT_ENOUGH_REPLICAS"))).toBe(false);
  expect(isInDoubt({ kind: "lost", sent: false })).toBe(false);
});

test("what nobody answered, or what was refused afterwards, is in doubt", () => {
  expect(isInDoubt({ kind: "lost", sent: true })).toBe(true);
  expect(isInDoubt(refused("NOT_ENOUGH_REPLICAS_AFTER_APPEND"))).toBe(true);
});

test("the end of a transaction that is decided is in doubt, though its markers were refused before they were written", () => {
  expect(isInDoubt(refused("NOT_ENOUGH_REPLICAS", { decided: "commit" }))).toBe(true);
});
