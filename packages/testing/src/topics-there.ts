/** Topics that a test says from the start, where the storage has them already: they are to be as they are said. */
import { ConfigProblem } from "@minikafka/broker";
import type { NewTopic } from "@minikafka/client";
import type { BrokerCluster } from "@minikafka/core";
import { shownValue } from "@minikafka/record";

/** Throws ConfigProblem for the first that is there and is another. What is not said of a topic may be as it is. */
export function requireAsSaid(cluster: BrokerCluster, topics: readonly NewTopic[]): void {
  for (const said of topics) {
    const difference = cluster.hasTopic(said.topic) ? differenceOf(cluster, said) : null;
    if (difference === null) continue;
    throw new ConfigProblem(
      `topics.${said.topic} ${difference}, since it lies in the storage already; say it as it is, or start over another folder`,
    );
  }
}

function differenceOf(cluster: BrokerCluster, said: NewTopic): string | null {
  const there = cluster.describeTopic(said.topic);
  for (const name of ["partitions", "replicationFactor"] as const)
    if (said[name] !== undefined && said[name] !== there[name])
      return `has ${name} ${there[name]} and not ${shownValue(said[name])}`;
  const config: { readonly [key: string]: unknown } = there.config;
  for (const [key, value] of Object.entries(said.config ?? {}))
    if (String(config[key]) !== String(value))
      return `has ${key} ${shownValue(config[key])} and not ${shownValue(value)}`;
  return null;
}
