/** `const test = brokerTest({ topics: { orders: 3 } })`: each test that asks for `broker` has one of its own. */
import { test as base } from "vitest";
import { startBroker } from "./start-broker.ts";
import type { StartOptions } from "./start-options.ts";
import type { TestBroker } from "./test-broker.ts";

/**
 * vitest's `test` with a `broker` in its context: started for the first use of it in a test, closed after the test however that ends, and
 * behind all that the test gives to `onTestFinished`: clients that are disconnected there still have their broker.
 */
export function brokerTest(options: StartOptions = {}) {
  return base.extend<{ broker: TestBroker }>({
    broker: async ({ onTestFinished }, use) => {
      const broker = await startBroker(options);
      let isOneOver = false;
      // vitest ends fixtures before it calls what was given to onTestFinished, latest first; but those that aroundEach uses after that.
      const closeWhenBothAreOver = async () => {
        if (isOneOver) await broker.close();
        isOneOver = true;
      };
      onTestFinished(closeWhenBothAreOver);
      try {
        await use(broker);
      } finally {
        await closeWhenBothAreOver();
      }
    },
  });
}
