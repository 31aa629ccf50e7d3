/** What Kafka's clients are told of the place: where the brokers are found, and what is made for whoever asks. */
import type { Address } from "../connections/port.ts";

/** What a topic is like of which nobody says it. Kafka: num.partitions, default.replication.factor. */
export interface TopicDefaults {
  readonly partitions: number;
  readonly replicationFactor: number;
}

export interface BrokerAddress extends Address {
  readonly brokerId: number;
}

export interface KafkaSite {
  /** Whether a topic is made because a client asks for it. Kafka: auto.create.topics.enable. */
  readonly createsTopics: boolean;
  /** Whether topics are made on demand or not. */
  readonly topicDefaults: TopicDefaults;
  /** Where clients reach a broker, running or not; `null` where it listens for none. Kafka: advertised.listeners. */
  addressOf(brokerId: number): Address | null;
  /** Says that the broker stops: whoever waits for others is let go. */
  readonly stopping: AbortSignal;
  /** Resolves when the ports are open and closed as the brokers run and do not. */
  settled(): Promise<void>;
}

/** Where nobody listens for Kafka's clients. */
export const NO_SITE: KafkaSite = {
  createsTopics: false,
  topicDefaults: { partitions: 1, replicationFactor: 1 },
  addressOf: () => null,
  stopping: new AbortController().signal,
  settled: async () => undefined,
};

/** The same, at the addresses of another time: answers that were given then hold those. */
export function siteAt(
  { createsTopics, topicDefaults }: KafkaSite,
  addresses: readonly BrokerAddress[],
): KafkaSite {
  const byBroker = new Map(addresses.map(({ brokerId, host, port }) => [brokerId, { host, port }]));
  const addressOf = (brokerId: number) => byBroker.get(brokerId) ?? null;
  return { ...NO_SITE, createsTopics, topicDefaults, addressOf };
}
