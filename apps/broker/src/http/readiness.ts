/** Whether clients are served, and why not. */
import type { ServiceState } from "../service.ts";

export type UnreadyCode = "STARTING" | "LOADING_SNAPSHOT" | "STOPPING" | "CRASHED";

export interface Unready {
  readonly code: UnreadyCode;
  readonly message: string;
}

export interface Standing {
  /** Whether all ports are open that the settings want. */
  readonly isOpen: boolean;
  readonly service: ServiceState;
  readonly isLoading: boolean;
}

/** All reasons; none where requests are carried out. */
export function unreadyOf({ isOpen, service, isLoading }: Standing): readonly Unready[] {
  const reasons: Unready[] = [];
  if (!isOpen) reasons.push({ code: "STARTING", message: "not all ports for clients are open yet" });
  if (isLoading) reasons.push({ code: "LOADING_SNAPSHOT", message: "another state is being loaded" });
  if (service === "stopping") reasons.push({ code: "STOPPING", message: "the broker stops" });
  if (service === "dead") reasons.push({ code: "CRASHED", message: "the broker has crashed" });
  return reasons;
}
