/** `const broker = await brokerFor(t, { topics: { orders: 3 } })`: closed when the test is over. */
import { shownValue } from "@minikafka/record";
import { startBroker } from "./start-broker.ts";
import type { StartOptions } from "./start-options.ts";
import type { TestBroker } from "./test-broker.ts";
import { usage } from "./usage.ts";

/** The context that node:test hands to a test; any other that takes an act for the end will do. What Node 20 hands to a suite's hooks takes none. */
export interface EndingTest {
  after(act: () => Promise<void>): void;
}

/** Starts a broker for one test of node:test, which closes it after the test however that ends. */
export async function brokerFor(test: EndingTest, options: StartOptions = {}): Promise<TestBroker> {
  if (typeof test?.after !== "function")
    throw usage(
      `brokerFor takes the context of a test of node:test, got ${shownValue(test)}; in a suite's hooks use startBroker, and close it in after()`,
    );
  const broker = await startBroker(options);
  test.after(() => broker.close());
  return broker;
}
