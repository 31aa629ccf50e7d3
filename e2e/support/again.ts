import { isRetriable } from "@minikafka/client";

/** Repeats what may be repeated; the test's own bound ends it. */
export async function again<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isRetriable(error)) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
