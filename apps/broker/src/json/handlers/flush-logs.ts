/** flush_logs: everything that was appended before is durable when it answers. Refuses: STEPPING_DISABLED, BROKER_FAILED. */
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const flushLogs: Handler<"flush_logs"> = async (_request, context) => {
  requireLab(context);
  const { cluster } = context;
  const { logs, notes } = cluster.foresight.flush();
  await cluster.steps.flushLogs();
  return {
    flushed: logs.map(({ topic, partition, brokerId, logEndOffset, bytes }) => ({
      topic,
      partition,
      broker_id: brokerId,
      log_end_offset: logEndOffset,
      bytes,
    })),
    noted: notes.map(({ brokerId }) => brokerId),
  };
};
