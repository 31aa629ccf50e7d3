import type { BrokerContext } from "../broker-context.ts";
import type { BrokerAddress } from "./kafka-site.ts";

export interface RunningBrokers {
  /** Those that are reached somewhere. */
  readonly brokers: readonly BrokerAddress[];
  /** The first that runs; -1: none does. */
  readonly controllerId: number;
}

/** As clients are told of them. */
export function runningBrokers({ cluster, kafka }: BrokerContext): RunningBrokers {
  const running = cluster.brokerStates().filter(({ state }) => state !== "stopped");
  const brokers = running.flatMap(({ brokerId }) => {
    const address = kafka.addressOf(brokerId);
    return address === null ? [] : [{ brokerId, ...address }];
  });
  return { brokers, controllerId: running[0]?.brokerId ?? -1 };
}
