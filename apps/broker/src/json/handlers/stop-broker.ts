/** stop_broker: it serves no more; what it leads answers LEADER_NOT_AVAILABLE. Refuses: INVALID_REQUEST (no such broker). */
import type { Handler } from "../handler.ts";

export const stopBroker: Handler<"stop_broker"> = async (
  { broker_id: brokerId },
  { cluster, kafka, hold },
) => {
  const { clean } = await cluster.stopBroker(brokerId);
  await hold(kafka.settled());
  return { broker_id: brokerId, clean };
};
