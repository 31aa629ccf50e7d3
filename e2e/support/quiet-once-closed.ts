/** A habit of @platformatic/kafka's consumers that none of their tests is about. */
import type { Consumer } from "@platformatic/kafka";

/** One that is closed while its group rebalances still tries to join, and says that it cannot: unheard, that would end the process. */
export function quietOnceClosed<Key, Value, HeaderKey, HeaderValue>(
  consumer: Consumer<Key, Value, HeaderKey, HeaderValue>,
): void {
  consumer.on("error", (error) => {
    if (!consumer.closed) throw error;
  });
}
