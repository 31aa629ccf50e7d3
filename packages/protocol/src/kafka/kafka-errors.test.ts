import { expect, test } from "vitest";
import { ERRORS } from "../errors.ts";
import { KAFKA_ERRORS, kafkaErrorName } from "./kafka-errors.ts";

test("every number that one of our codes is told by has a name, and no number has two", () => {
  const numbers = Object.values(ERRORS).flatMap(({ kafkaCode }) => (kafkaCode === null ? [] : [kafkaCode]));
  expect(numbers.filter((number) => kafkaErrorName(number) === undefined)).toEqual([]);
  expect(new Set(Object.values(KAFKA_ERRORS)).size).toBe(Object.keys(KAFKA_ERRORS).length);
});

test("a number is found by its name and back; one that is not listed has none", () => {
  expect(kafkaErrorName(KAFKA_ERRORS.NOT_LEADER_OR_FOLLOWER)).toBe("NOT_LEADER_OR_FOLLOWER");
  expect(kafkaErrorName(KAFKA_ERRORS.UNKNOWN_SERVER_ERROR)).toBe("UNKNOWN_SERVER_ERROR");
  expect(kafkaErrorName(9999)).toBeUndefined();
});
