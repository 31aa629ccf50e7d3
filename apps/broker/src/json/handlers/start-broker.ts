/** start_broker: its logs are opened again, and judged. Refuses: INVALID_REQUEST (no such broker), STORAGE_ERROR, BROKER_FAILED. */
import type { Handler } from "../handler.ts";

export const startBroker: Handler<"start_broker"> = async (
  { broker_id: brokerId },
  { cluster, kafka, hold },
) => {
  const { clean } = await cluster.startBroker(brokerId);
  await hold(kafka.settled());
  return { broker_id: brokerId, clean };
};
