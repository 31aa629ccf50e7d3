/** The settings of the Kafka listener, a part of the table in config.ts. */
import { LIMITS } from "@minikafka/core";
import { z } from "zod";

const MIB = 1024 * 1024;

const PORT_MAX = 65_535;
const port = z.int().min(0).max(PORT_MAX);
const ports = z.array(port).min(2);
/** In the environment and on the command line: `9092,9095,9098`. */
const portsInText = z
  .string()
  .refine((text) => /^[\d,]+$/.test(text) && ports.safeParse(portsOf(text)).success)
  .transform(portsOf);

function portsOf(text: string): number[] {
  return text.split(",").map((word) => (word === "" ? Number.NaN : Number(word)));
}

export const kafkaSettings = {
  kafka_port: z
    .union([port, ports, portsInText], {
      error: "expected a port from 0 to 65535, or one for each broker as in 9092,9095,9098",
    })
    .optional()
    .describe(
      "where Kafka's clients find the first broker, the others behind it, or one for each of them, as in 9092,9095,9098; 0 picks free ones (default: nowhere)",
    ),
  advertise: z
    .string()
    .min(1)
    .optional()
    .describe("the host that Kafka's clients are told to connect to (default: the one that is listened on)"),
  kafka_max_frame_bytes: z
    .int()
    .min(1024)
    .max(256 * MIB)
    .default(64 * MIB)
    .describe("the longest request of Kafka's clients"),
  auto_create_topics: z
    .boolean()
    .default(true)
    .describe("make the topics that Kafka's clients ask for and that are not there"),
  auto_create_partitions: z
    .int()
    .min(1)
    .max(LIMITS.partitionsPerTopicMax)
    .default(1)
    .describe("how many partitions such a topic has"),
  auto_create_replication_factor: z
    .int()
    .min(1)
    .max(LIMITS.brokersMax)
    .default(1)
    .describe("how many brokers hold a copy of such a topic, of those that there are"),
};

interface PortSettings {
  readonly brokers: number;
  readonly kafka_port?: number | number[] | undefined;
}

/** The ports of the hosted brokers, in their order; 0 where a free one is picked. */
export function portsOfBrokers({ kafka_port: wanted = 0, brokers }: PortSettings): number[] {
  if (typeof wanted !== "number") return wanted;
  return Array.from({ length: brokers }, (_none, place) => (wanted === 0 ? 0 : wanted + place));
}

/** Why no ports can be as the settings say; `null` where they can. */
export function portsProblem({ kafka_port: wanted, brokers }: PortSettings): string | null {
  if (wanted === undefined) return null;
  if (typeof wanted === "number") {
    if (wanted + brokers - 1 <= PORT_MAX) return null;
    return `kafka_port is ${wanted}; expected at most ${PORT_MAX - brokers + 1}: the ${brokers} brokers have the ports from it on`;
  }
  if (wanted.length !== brokers)
    return `kafka_port names ${wanted.length} ports; expected one, or ${brokers}: one for each of the brokers`;
  const twice = wanted.find((each, place) => each !== 0 && wanted.indexOf(each) !== place);
  return twice === undefined
    ? null
    : `kafka_port names ${twice} twice; expected another one for each of the brokers`;
}
