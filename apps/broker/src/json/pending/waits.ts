/** Who waits on the stepped clock for time to pass, as a deadline says it. In auto mode their time is not the clock's. */
import { ManualClock } from "@minikafka/core";
import type { BrokerContext } from "../../broker-context.ts";
import type { DeadlineFields } from "./pending-fields.ts";

/** Those that are due already end before the next request. */
export function waitFields({
  clock,
  deadlines,
}: Pick<BrokerContext, "clock" | "deadlines">): DeadlineFields[] {
  if (!(clock instanceof ManualClock)) return [];
  const nowMs = clock.nowMs();
  return deadlines
    .waiting()
    .filter(({ dueMs }) => dueMs > nowMs)
    .map(({ dueMs, what, of }) => ({
      due_at_ms: dueMs,
      what,
      operation: null,
      ...(of?.request !== undefined && { request: of.request }),
      ...(of?.topic !== undefined && { topic: of.topic }),
      ...(of?.partition !== undefined && { partition: of.partition }),
      ...(of?.groupId !== undefined && { group_id: of.groupId }),
      ...(of?.transactionalId !== undefined && { transactional_id: of.transactionalId }),
    }));
}
