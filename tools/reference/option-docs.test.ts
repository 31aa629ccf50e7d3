import { expect, test } from "vitest";
import { optionsOf } from "./option-docs.mjs";

const SOURCE = `
export interface Other { readonly x: number; }

export interface ProducerOptions extends Other {
  /** How many (default 1). Kafka: acks. */
  readonly acks?: 0 | 1 | "all" | undefined;
  /**
   * What is done
   * then.
   */
  readonly then?: (() => void) | undefined;
}
`;

test("options are told with their types and what their comments say", () => {
  expect(optionsOf(SOURCE, "ProducerOptions")).toEqual([
    { name: "acks", type: '0 | 1 | "all"', meaning: "How many (default 1). Kafka: acks." },
    { name: "then", type: "(() => void)", meaning: "What is done then." },
  ]);
});

test("an interface that is gone, and an option without words, are errors", () => {
  expect(() => optionsOf(SOURCE, "ConsumerOptions")).toThrow("there is no interface ConsumerOptions");
  const silent = SOURCE.replace("  /** How many (default 1). Kafka: acks. */\n", "");
  expect(() => optionsOf(silent, "ProducerOptions")).toThrow("ProducerOptions: acks: no comment says");
});
