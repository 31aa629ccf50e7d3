/** `const test = brokerTest({ topics: { orders: 3 } })`: each test that asks for `broker` has one of its own. */
import { test as base } from "vitest";
import { startBroker } from "./start-broker.ts";
import type { StartOptions } from "./start-options.ts";
import type { TestBroker } from "./test-broker.ts";

/** vitest's `test` with a `broker` in its context: started for the first use of it in a test, closed after the test however that ends. */
export function brokerTest(options: StartOptions = {}) {
  return base.extend<{ broker: TestBroker }>({
    // What vitest reads off the first argument is which other fixtures are wanted: none.
    // biome-ignore lint/correctness/noEmptyPattern: vitest takes no other first argument
    broker: async ({}, use) => {
      const broker = await startBroker(options);
      try {
        await use(broker);
      } finally {
        await broker.close();
      }
    },
  });
}
