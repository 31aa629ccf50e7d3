/** Which steps would do something now, and when time brings more, as the wire says it. */
import type { ResponseFields } from "@minikafka/protocol";
import type { BrokerContext } from "../../broker-context.ts";
import { deadlineFields, pendingFields } from "./pending-fields.ts";
import { copyingText } from "./pending-text.ts";
import { waitFields } from "./waits.ts";

/** Of one topic, or all. Throws UNKNOWN_TOPIC. */
export function allPending(context: BrokerContext, topic?: string): ResponseFields<"pending_steps"> {
  const { foresight } = context.cluster;
  const steps = foresight.steps(topic).map((step) => {
    const fields = pendingFields(step);
    return { ...fields, says: `${fields.says}${copyingText(foresight.copiersOf(step))}` };
  });
  const ofSteps = foresight.deadlines(topic).map(deadlineFields);
  const waits = topic === undefined ? waitFields(context) : [];
  const deadlines = [...ofSteps, ...waits].sort((one, other) => one.due_at_ms - other.due_at_ms);
  return { now_ms: context.clock.nowMs(), steps, deadlines };
}
