/** `kafka://host:port[,host:port…]`: where a cluster of Kafka's is asked first. Any of its brokers knows the others. */
import { InvalidArgumentError } from "commander";
import { type BrokerAddress, brokerText, parseBroker } from "../input/arguments.ts";

/** Kafka's own default port. */
const PORT_DEFAULT = 9092;
const SCHEME = "kafka://";

export interface ClusterAddress {
  readonly brokers: readonly BrokerAddress[];
}

/** A partition of it. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** Throws commander's error. */
export function parseCluster(text: string): ClusterAddress {
  const rest = text.startsWith(SCHEME) ? text.slice(SCHEME.length).replace(/\/$/, "") : null;
  if (rest === null || rest === "" || rest.includes("@"))
    throw new InvalidArgumentError(
      rest?.includes("@")
        ? "Names and passwords belong into the file of --kafka-config."
        : `Expected ${SCHEME}host:port, with more of its brokers after commas.`,
    );
  return { brokers: rest.split(",").map(parseKafkaBroker) };
}

function parseKafkaBroker(text: string): BrokerAddress {
  const hasPort = /(?:^|:)\d+$/.test(text);
  return parseBroker(hasPort ? text : `${text}:${PORT_DEFAULT}`);
}

/** As a person writes it. */
export function clusterText({ brokers }: ClusterAddress): string {
  return SCHEME + brokers.map(brokerText).join(",");
}
