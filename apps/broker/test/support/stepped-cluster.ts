/** A cluster of which nothing is there but its steps, as a ticker sees them. */
import type { SteppedCluster } from "../../src/ticked-steps.ts";

/** Every step does `act` with its name. */
export function clusterOf(act: (step: string) => void): SteppedCluster {
  const step = (name: string) => async () => act(name);
  return {
    steps: {
      flushLogs: step("flush_logs"),
      applyRetention: step("apply_retention"),
      compact: step("compact"),
      expireProducers: () => act("expire_producers"),
      retryBehind: () => act("replicate_once"),
      refreshIsr: () => act("refresh_isr"),
    },
    groups: { expireMembers: step("expire_members"), expireOffsets: step("expire_offsets") },
    transactions: {
      expire: async () => {
        act("expire_transactions");
        return { failed: [] };
      },
    },
  };
}
