/** What Kafka's clients are told of the place: where the brokers are found, and what is made for whoever asks. */
import type { Address } from "../connections/port.ts";

/** What a topic is like that is made because a client asked for it. */
export interface AutoCreation {
  readonly partitions: number;
  readonly replicationFactor: number;
}

export interface BrokerAddress extends Address {
  readonly brokerId: number;
}

export interface KafkaSite {
  /** `null`: no topic is made unless somebody says so. Kafka: auto.create.topics.enable. */
  readonly autoCreation: AutoCreation | null;
  /** Where clients reach a broker, running or not; `null` where it listens for none. Kafka: advertised.listeners. */
  addressOf(brokerId: number): Address | null;
  /** Says that the broker stops: whoever waits for others is let go. */
  readonly stopping: AbortSignal;
  /** Resolves when the ports are open and closed as the brokers run and do not. */
  settled(): Promise<void>;
}

/** Where nobody listens for Kafka's clients. */
export const NO_SITE: KafkaSite = {
  autoCreation: null,
  addressOf: () => null,
  stopping: new AbortController().signal,
  settled: async () => undefined,
};

/** The same, at the addresses of another time: answers that were given then hold those. */
export function siteAt({ autoCreation }: KafkaSite, addresses: readonly BrokerAddress[]): KafkaSite {
  const byBroker = new Map(addresses.map(({ brokerId, host, port }) => [brokerId, { host, port }]));
  return { ...NO_SITE, autoCreation, addressOf: (brokerId) => byBroker.get(brokerId) ?? null };
}
