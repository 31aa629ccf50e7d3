/**
 * advance_clock: moves a manual clock; waits whose time has come end, and nothing else happens.
 * Refuses: STEPPING_DISABLED, also in auto mode, whose clock is the system's; INVALID_REQUEST past the last time that a
 * record can carry.
 */
import { BrokerError, ManualClock } from "@minikafka/core";
import { TIMESTAMP_MS_MAX } from "@minikafka/record";
import { MANUAL_CLOCK } from "../../manual-clock-missing.ts";
import type { Handler } from "../handler.ts";
import { requireLab } from "../lab.ts";

export const advanceClock: Handler<"advance_clock"> = ({ ms }, context) => {
  requireLab(context);
  const { clock, deadlines, cluster } = context;
  if (!(clock instanceof ManualClock)) {
    throw new BrokerError(
      "STEPPING_DISABLED",
      `the clock is the system's, and goes by itself; to move it, ${MANUAL_CLOCK}`,
    );
  }
  const leftMs = TIMESTAMP_MS_MAX - clock.nowMs();
  if (ms > leftMs) {
    throw new BrokerError("INVALID_REQUEST", `ms: expected at most ${leftMs}, where time ends, got ${ms}`);
  }
  const fromMs = clock.nowMs();
  clock.advance(ms);
  if (ms > 0) cluster.env.trace({ kind: "clock_advanced", fromMs, toMs: clock.nowMs() });
  deadlines.fireDue();
  return { now_ms: clock.nowMs() };
};
