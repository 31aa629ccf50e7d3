import type { BrokerContext } from "./broker-context.ts";
import type { Recorder } from "./history/recorder.ts";
import type { Service } from "./service.ts";

/** What the dispatchers of all protocols are given. */
export interface DispatcherOptions {
  /** Who writes down what is asked and answered. */
  readonly recorder?: Recorder;
  readonly context: BrokerContext;
  /** The one of all listeners. */
  readonly service: Pick<Service, "state">;
  /** Draws the id of a fault. */
  readonly newFaultId: () => string;
  /** A fault that was answered as one of ours. */
  readonly onFault: (faultId: string, operation: string, error: unknown) => void;
  /** What cannot happen has happened, or the kernel died: nothing that this process does can be trusted any more. */
  readonly onBroken: (error: Error) => void;
}
