/**
 * How a cluster wants to be spoken to, from a file of properties as Kafka's own tools take it (`client.properties`): encrypted
 * (`security.protocol`), and by whom (`sasl.*`). Passwords are in a file, since a command line is seen by everybody.
 */
import { readFileSync } from "node:fs";
import type { SASLOptions } from "@platformatic/kafka";
import { CliError } from "../failure.ts";

export interface Security {
  readonly tls?: { readonly ca?: Buffer; readonly rejectUnauthorized?: boolean };
  readonly sasl?: SASLOptions;
}

const KNOWN = [
  ...["security.protocol", "sasl.mechanism", "sasl.username", "sasl.password", "sasl.jaas.config"],
  "ssl.ca.location",
];
const MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

/** Throws USAGE for a file that cannot be read, or says what is not known here: half of what somebody wants is not safe. */
export function readSecurity(file: string): Security {
  const properties = propertiesOf(read(file));
  const stranger = [...properties.keys()].find((name) => !KNOWN.includes(name));
  if (stranger !== undefined)
    throw usage(file, `${stranger} is not known here; expected some of ${KNOWN.join(", ")}`);
  const protocol = properties.get("security.protocol") ?? "PLAINTEXT";
  if (!/^(?:SASL_)?(?:PLAINTEXT|SSL)$/.test(protocol))
    throw usage(
      file,
      `security.protocol is ${protocol}; expected PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL`,
    );
  return {
    ...(protocol.endsWith("SSL") && { tls: tlsOf(properties) }),
    ...(protocol.startsWith("SASL") && { sasl: saslOf(file, properties) }),
  };
}

type Properties = ReadonlyMap<string, string>;

function usage(file: string, message: string): CliError {
  return new CliError("USAGE", `${file}: ${message}`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CliError("USAGE", `--kafka-config: ${(error as Error).message}`);
  }
}

function propertiesOf(bytes: Buffer): Properties {
  const lines = bytes
    .toString()
    .split(/\r?\n/)
    .filter((line) => !/^\s*(?:[#!].*)?$/.test(line));
  return new Map(
    lines.map((line) => {
      const [, name = line.trim(), value = ""] = /^\s*([^\s=:]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}

function tlsOf(properties: Properties): NonNullable<Security["tls"]> {
  const ca = properties.get("ssl.ca.location");
  return ca === undefined ? {} : { ca: read(ca) };
}

function saslOf(file: string, properties: Properties): SASLOptions {
  const named = properties.get("sasl.mechanism") ?? "PLAIN";
  const mechanism = MECHANISMS.find((each) => each === named);
  if (mechanism === undefined)
    throw usage(file, `sasl.mechanism is ${named}; expected ${MECHANISMS.join(", ")}`);
  const username = properties.get("sasl.username") ?? inJaas(properties, "username");
  const password = properties.get("sasl.password") ?? inJaas(properties, "password");
  if (username === undefined || password === undefined)
    throw usage(file, "sasl.username and sasl.password are missing");
  return { mechanism, username, password };
}

/** Kafka's tools have both in one setting: `… required username="u" password="p";`. */
function inJaas(properties: Properties, name: string): string | undefined {
  const jaas = properties.get("sasl.jaas.config") ?? "";
  return new RegExp(`\\b${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(jaas)?.[1]?.replace(/\\(.)/g, "$1");
}
