/** From the text of an option to its value. Each throws commander's error, which names the option: bad usage, exit code 2. */
import { InvalidArgumentError } from "commander";
import type { ShownHeader } from "../record.ts";
import { unescapeBytes } from "./escapes.ts";

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** The daemon's own default port. */
export const PORT_DEFAULT = 9192;
const HOST_DEFAULT = "127.0.0.1";
const PORT_MAX = 65_535;

/** Where the documentation has the broker's HTTP port; the daemon has none unless asked for. */
export const HTTP_PORT = 9193;

/** `host:port`, `host`, `:port`, `port`, `[::1]:port` or `[::1]`. */
export function parseBroker(text: string): BrokerAddress {
  return addressIn(text, PORT_DEFAULT);
}

/** The same of the HTTP port. */
export function parseHttp(text: string): BrokerAddress {
  return addressIn(text, HTTP_PORT);
}

function addressIn(text: string, portDefault: number): BrokerAddress {
  // A host may not be a mere number: who types one means a port of this machine.
  const place = /^\d+$/.test(text) ? `:${text}` : text;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s/]*))(?::(\d{1,5}))?$/.exec(place);
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? portDefault : Number(match[3]);
  if (host === undefined || text === "" || port < 1 || port > PORT_MAX) {
    throw new InvalidArgumentError(
      `Expected host:port, such as ${HOST_DEFAULT}:${portDefault} or [::1]:${portDefault}.`,
    );
  }
  return { host: host === "" ? HOST_DEFAULT : host, port };
}

/** As a person writes it, and as {@link parseBroker} reads it. */
export function brokerText(address: BrokerAddress): string {
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** A parser for whole numbers from `min` on, up to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min || value > max) {
      const upTo = max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`;
      throw new InvalidArgumentError(`Expected a whole number from ${min}${upTo}.`);
    }
    return value;
  };
}

const UNIT_MS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|[smhd])/g;
const DURATION = /^(?:[\d.]+(?:ms|[smhd]))+$/;

/** `500ms`, `10s`, `2m`, `1h`, `7d` or `1d12h`, larger units first, in milliseconds. A bare number is refused: half of its readers take it for milliseconds. */
export function parseDuration(text: string): number {
  if (/^\d+$/.test(text))
    throw new InvalidArgumentError(`Expected a number and its unit: ${text}ms or ${text}s, say.`);
  const parts = [...text.matchAll(DURATION_PART)].map(([part, number, unit = ""]) => {
    return { part, number: Number(number), unitMs: UNIT_MS[unit] ?? Number.NaN };
  });
  const isWhole = text !== "" && parts.map(({ part }) => part).join("") === text;
  const isOrdered = parts.every(({ unitMs }, index) => unitMs < (parts[index - 1]?.unitMs ?? Infinity));
  const durationMs = Math.round(parts.reduce((sum, { number, unitMs }) => sum + number * unitMs, 0));
  if (!isWhole || !isOrdered || !Number.isSafeInteger(durationMs)) {
    throw new InvalidArgumentError(
      "Expected a number and its unit (ms, s, m, h or d), such as 500ms, 10s or 1d12h.",
    );
  }
  return durationMs;
}

const TIMEOUT_HOURS_MAX = 24;

/** A wait: it ends, and it is one that a timer can count. */
export function parseTimeout(text: string): number {
  const timeoutMs = parseDuration(text);
  if (timeoutMs < 1 || timeoutMs > TIMEOUT_HOURS_MAX * 3_600_000) {
    throw new InvalidArgumentError(`Expected 1ms to ${TIMEOUT_HOURS_MAX}h.`);
  }
  return timeoutMs;
}

export type AcksText = "0" | "1" | "all";

/** Kafka's `acks`; `-1` means all there. */
export function parseAcks(text: string): AcksText {
  if (text === "0" || text === "1") return text;
  if (text === "all" || text === "-1") return "all";
  throw new InvalidArgumentError("Expected 0, 1 or all.");
}

/** As the SDK has it. */
export function acksOf(text: AcksText): 0 | 1 | "all" {
  return text === "all" ? text : text === "0" ? 0 : 1;
}

const COMPRESSIONS = ["none", "gzip", "snappy", "lz4", "zstd"] as const;
export type CompressionText = (typeof COMPRESSIONS)[number];

/** Kafka's `compression.type` of a producer. */
export function parseCompression(text: string): CompressionText {
  const known = COMPRESSIONS.find((name) => name === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError(
    `Expected ${COMPRESSIONS.slice(0, -1).join(", ")} or ${COMPRESSIONS.at(-1)}.`,
  );
}

export type Isolation = "read_uncommitted" | "read_committed";

export const ISOLATION_HELP =
  "read_committed leaves out transactions that are open or were aborted (default: read_uncommitted)";

/** Kafka's `isolation.level`; also with a dash, as other settings are on a command line. */
export function parseIsolation(text: string): Isolation {
  const named = text.replaceAll("-", "_");
  if (named === "read_uncommitted" || named === "read_committed") return named;
  throw new InvalidArgumentError("Expected read_committed or read_uncommitted.");
}

/** `name=value`, repeated; `name` alone is a header without a value, `name=` one with an empty value. */
export function collectHeader(text: string, before: readonly ShownHeader[] = []): ShownHeader[] {
  const equals = text.indexOf("=");
  const key = equals === -1 ? text : text.slice(0, equals);
  if (key === "") throw new InvalidArgumentError("Expected name=value.");
  return [...before, { key, value: equals === -1 ? null : Buffer.from(text.slice(equals + 1)) }];
}

export function collectValue(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export type TopicConfig = { readonly [name: string]: string | number | boolean };

/**
 * `name=value`, repeated. Kafka's dots become the underscores of this protocol: `retention.ms=1000` is `retention_ms`. What is
 * measured in milliseconds may be a duration with its unit: `retention_ms=1h`.
 */
export function collectConfig(text: string, before: TopicConfig = {}): TopicConfig {
  const match = /^([A-Za-z0-9._]+)=(.*)$/s.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new InvalidArgumentError("Expected name=value, such as retention_ms=60000.");
  }
  const name = match[1].replaceAll(".", "_");
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: isDuration(name, match[2]) ? parseDuration(match[2]) : configValue(match[2]) };
}

function isDuration(name: string, value: string): boolean {
  return name.endsWith("_ms") && DURATION.test(value);
}

/** The name of a setting, repeated. */
export function collectUnset(text: string, before: readonly string[] = []): string[] {
  if (!/^[A-Za-z0-9._]+$/.test(text))
    throw new InvalidArgumentError("Expected a setting's name, such as retention_ms.");
  return [...before, text.replaceAll(".", "_")];
}

/** Settings are typed on the wire; a command line has only text. */
function configValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

/** A delimiter: text with backslash escapes, at least one byte. */
export function parseDelimiter(text: string): Buffer {
  const bytes = escaped(text);
  if (bytes.length === 0) throw new InvalidArgumentError("Expected at least one character.");
  return bytes;
}

function escaped(text: string): Buffer {
  try {
    return unescapeBytes(text);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}
