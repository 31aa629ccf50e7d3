/**
 * advance_clock: moves a manual clock; waits whose time has come end, and nothing else happens.
 * Refuses: STEPPING_DISABLED, also in auto mode, whose clock is the system's.
 */
import { BrokerError, ManualClock } from "@minikafka/core";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const advanceClock: Handler<"advance_clock"> = ({ ms }, context) => {
  requireLab(context);
  const { clock, deadlines } = context;
  if (!(clock instanceof ManualClock)) {
    throw new BrokerError(
      "STEPPING_DISABLED",
      "the clock is the system's; start the broker with --clock manual to move it",
    );
  }
  clock.advance(ms);
  deadlines.fireDue();
  return { now_ms: clock.nowMs() };
};
