/** The settings of the Kafka listener, a part of the table in settings-table.ts. */
import { isIP } from "node:net";
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

/** Of who listens at all addresses; nobody is reached at these. */
const EVERYWHERE: readonly string[] = ["0.0.0.0", "::"];
/** What names of hosts consist of; the underscore is none of theirs, but container tools give it to theirs. */
const LABEL = /^\w(?:[\w-]{0,61}\w)?$/;

/** Whether it can be the name or the address of a host that somebody connects to. Kafka refuses the others as well. */
function isReachable(host: string): boolean {
  if (isIP(host) !== 0) return !EVERYWHERE.includes(host);
  const labels = host.split(".");
  // What ends in a number is read as an address.
  return (
    host.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "")
  );
}

const HOST_EXPECTED = {
  error: "expected a host without a port that clients reach, as kafka.example or 192.168.1.5",
};

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
    .string(HOST_EXPECTED)
    .refine(isReachable, HOST_EXPECTED)
    .optional()
    .describe(
      "the host that Kafka's clients are told to connect to, and that HTTP answers to (default: the one that is listened on; localhost where that is every one)",
    ),
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

/** The host that clients are told to connect to. */
export function hostToTell({
  host,
  advertise,
}: {
  readonly host: string;
  readonly advertise?: string | undefined;
}): string {
  return advertise ?? (EVERYWHERE.includes(host) ? "localhost" : host);
}

interface PortSettings {
  readonly advertise?: string | undefined;
  readonly brokers: number;
  readonly kafka_port?: number | number[] | undefined;
  /** There `advertise` is a name that is answered to. */
  readonly http_port?: number | undefined;
}

/** The ports of the hosted brokers, in their order; 0 where a free one is picked. */
export function portsOfBrokers({ kafka_port: wanted = 0, brokers }: PortSettings): number[] {
  if (typeof wanted !== "number") return wanted;
  return Array.from({ length: brokers }, (_none, place) => (wanted === 0 ? 0 : wanted + place));
}

/** Why Kafka's clients cannot be listened for as the settings say; `null` where they can. */
export function kafkaProblem(settings: PortSettings): string | null {
  const { kafka_port: wanted, brokers, advertise, http_port } = settings;
  if (wanted === undefined)
    return advertise === undefined || http_port !== undefined
      ? null
      : "advertise is for Kafka's clients and for HTTP; add kafka_port or http_port, or leave it out";
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
