/** `const broker = await brokerFor(t, { topics: { orders: 3 } })`: closed when the test is over. */
import { shownValue } from "@minikafka/record";
import { startBroker } from "./start-broker.ts";
import type { StartOptions } from "./start-options.ts";
import type { TestBroker } from "./test-broker.ts";
import { usage } from "./usage.ts";

/** The context that node:test hands to a test; any other that takes an act for the end will do. What node:test hands to a suite's hooks takes none. */
export interface EndingTest {
  after(act: () => Promise<void>): void;
  /** node:test aborts it once all that was to be done after the test is done, or a part of that has failed; or when the test's time is over. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a broker for one test of node:test, which closes it after the test however that ends, and behind all that the test itself does after
 * it: clients that `t.after` disconnects still have their broker then.
 */
export async function brokerFor(test: EndingTest, options: StartOptions = {}): Promise<TestBroker> {
  if (typeof test?.after !== "function")
    throw usage(
      `brokerFor takes the context of a test of node:test, got ${shownValue(test)}; in a suite's hooks use startBroker, and close it in after()`,
    );
  const broker = await startBroker(options);
  test.after(() => closeBehind(test, broker));
  return broker;
}

/** node:test does what is to be done in the order in which it was said, and takes more meanwhile: what is said now comes last. */
async function closeBehind(test: EndingTest, broker: TestBroker): Promise<void> {
  const { signal } = test;
  // Of another runner, of which that is not known.
  if (signal === undefined) return broker.close();
  test.after(() => broker.close());
  // What fails on the way is the last that is done, and has been told; the broker is not to keep the process alive for that.
  signal.addEventListener("abort", () => void broker.close().catch(() => undefined), { once: true });
}
