/** Who may step: nobody, unless the daemon was started for it. */
import { BrokerError } from "@minikafka/core";
import type { BrokerContext } from "../broker-context.ts";

/** Throws STEPPING_DISABLED. */
export function requireLab({ isLab }: BrokerContext): void {
  if (isLab) return;
  throw new BrokerError(
    "STEPPING_DISABLED",
    "steps, faults and crashes are for a broker that is started with --lab (in a program, settings: { lab: true }), or with a manual clock",
  );
}
