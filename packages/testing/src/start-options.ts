/** What a test says of the broker that it wants. Every option may be left out, and one that is not known is refused. */
import { ConfigProblem, type RawSettings, settingMeant } from "@minikafka/broker";
import { settings as brokerSettings } from "@minikafka/broker/settings";
import type { NewTopic } from "@minikafka/client";
import { LIMITS } from "@minikafka/core";
import { nearest, shownValue } from "@minikafka/record";
import { newTopic, type TopicOptions } from "./topic-options.ts";
import { isNamed } from "./usage.ts";
import { isTimeoutMs, TIMEOUT_EXPECTED } from "./waits.ts";

/** How the broker starts; each part may be left out. */
export interface StartOptions {
  /** How many brokers the cluster has, by the numbers from 1 on. Default 1. */
  readonly brokers?: number | undefined;
  /** "manual": nothing happens by itself, steps and `clock.advance` make it happen. Default "real". */
  readonly clock?: "real" | "manual" | undefined;
  /** Topics that are there from the start, by name: how many partitions, or what else is to be said of them. */
  readonly topics?: { readonly [topic: string]: number | TopicOptions } | undefined;
  /** "memory" (default): all is gone at the end. A folder keeps what was written, for the next start. */
  readonly storage?: "memory" | { readonly dir: string } | undefined;
  /** Whether Kafka's clients can connect, each broker on a port of its own. Default true. */
  readonly kafka?: boolean | undefined;
  /** Whether metrics, health, the state of everything and events are told over HTTP, at `httpAddress`. Default false. */
  readonly http?: boolean | undefined;
  /** How long a wait takes that does not say it, in real time. Default 4000: less than vitest gives a test. */
  readonly waitTimeoutMs?: number | undefined;
  /**
   * Any other setting by its name in a configuration file: `log_level` (default "silent" here), `port` and `kafka_port` (default:
   * free ones), `seed`, `start_time`, … `lab` is true, so that steps and faults are taken.
   */
  readonly settings?: RawSettings | undefined;
}

/** The options, checked and with all that was left out. */
export interface Plan {
  readonly settings: RawSettings;
  readonly topics: readonly NewTopic[];
  /** `null`: memory. */
  readonly dir: string | null;
  readonly waitTimeoutMs: number;
}

const WAIT_TIMEOUT_MS = 4_000;

const OPTIONS: readonly string[] = Object.keys({
  brokers: true,
  clock: true,
  topics: true,
  storage: true,
  kafka: true,
  http: true,
  waitTimeoutMs: true,
  settings: true,
} satisfies { readonly [Name in keyof StartOptions]-?: true });

/** Settings that have an option of their own here. */
const OPTION_OF: { readonly [setting: string]: string } = {
  brokers: "brokers",
  clock: "clock",
  data: "storage: { dir }",
};

const SETTINGS: readonly string[] = Object.keys(brokerSettings.shape);

/** What the broker's own setting calls a real clock. */
const AUTO: string = "auto";
const CLOCKS: { readonly [clock: string]: string } = { real: AUTO, manual: "manual" };

/** Throws {@link ConfigProblem}, as the broker does for the settings' values. */
export function planOf(given: StartOptions): Plan {
  if (!isNamed(given as unknown))
    throw new ConfigProblem(`startBroker takes an object of ${OPTIONS.join(", ")}, got ${shownValue(given)}`);
  const stranger = Object.keys(given).find((name) => !OPTIONS.includes(name));
  if (stranger !== undefined) throw new ConfigProblem(strangeOption(stranger));
  const {
    brokers,
    clock = "real",
    kafka = true,
    http = false,
    settings = {},
    storage = "memory",
    topics = {},
  } = given;
  requireBrokers(brokers);
  requireNamed("topics", topics, "an object of topics by their names");
  requireNamed("settings", settings, "an object of settings by their names");
  requireFlag("kafka", kafka);
  requireFlag("http", http);
  if (!Object.hasOwn(CLOCKS, clock))
    throw new ConfigProblem(
      `clock is ${shownValue(clock)}; ${clock === AUTO ? 'did you mean "real"? ' : ""}expected "real" or "manual"`,
    );
  requireOwnSettings(settings, kafka);
  const { waitTimeoutMs = WAIT_TIMEOUT_MS } = given;
  if (!isTimeoutMs(waitTimeoutMs))
    throw new ConfigProblem(`waitTimeoutMs is ${shownValue(waitTimeoutMs)}; expected ${TIMEOUT_EXPECTED}`);
  const chosen = { clock: CLOCKS[clock], ...(brokers !== undefined && { brokers }) };
  const ports = { port: 0, ...(kafka && { kafka_port: 0 }), ...(http && { http_port: 0 }) };
  return {
    settings: { log_level: "silent", lab: true, ...ports, ...settings, ...chosen },
    topics: Object.entries(topics).map(([topic, said]) => newTopic(topic, said)),
    dir: folderOf(storage),
    waitTimeoutMs,
  };
}

/** What other libraries call options of this one. */
const OTHERWISE: { readonly [name: string]: string } = { config: "settings", configs: "settings" };

/** A setting may be written as an option is, as kafkaPort is; of a word that is near both an option is meant. */
function strangeOption(name: string): string {
  const setting = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isSetting = SETTINGS.includes(setting);
  const near = isSetting
    ? placeOf([setting])
    : (nearest(name, OPTIONS) ?? OTHERWISE[name] ?? meantBy(name, setting));
  const asked = near === null ? "" : `did you mean ${near}? `;
  return `startBroker has no option ${name}; ${asked}expected ${OPTIONS.join(", ")}`;
}

/** Where a setting is said that goes by another name, Kafka's for one. */
function meantBy(name: string, setting: string = name): string | null {
  const meant = settingMeant(name) ?? settingMeant(setting);
  if (meant === null) return null;
  return meant.as === "topic"
    ? `topics: { TOPIC: { config: { ${meant.names.join()} } } }`
    : placeOf(meant.names);
}

function placeOf(settings: readonly string[]): string {
  return settings.map((each) => OPTION_OF[each] ?? `settings: { ${each} }`).join(" or ");
}

function requireNamed(name: string, value: unknown, expected: string): void {
  if (!isNamed(value)) throw new ConfigProblem(`${name} is ${shownValue(value)}; expected ${expected}`);
}

function requireBrokers(value: unknown): void {
  if (value === undefined) return;
  if (!Number.isSafeInteger(value) || Number(value) < 1 || Number(value) > LIMITS.brokersMax)
    throw new ConfigProblem(
      `brokers is ${shownValue(value)}; expected an integer from 1 to ${LIMITS.brokersMax}`,
    );
}

function requireFlag(name: string, value: unknown): void {
  if (typeof value !== "boolean")
    throw new ConfigProblem(`${name} is ${shownValue(value)}; expected true or false`);
}

function requireOwnSettings(settings: RawSettings, kafka: boolean): void {
  const double = Object.keys(settings).find((name) => Object.hasOwn(OPTION_OF, name));
  if (double !== undefined)
    throw new ConfigProblem(`settings.${double} is an option: startBroker({ ${OPTION_OF[double]} })`);
  const ofTopic = Object.keys(settings).find(
    (name) => !SETTINGS.includes(name) && settingMeant(name)?.as === "topic",
  );
  if (ofTopic !== undefined)
    throw new ConfigProblem(
      `there is no setting ${ofTopic} of the broker; each topic has it: ${meantBy(ofTopic)}`,
    );
  if (!kafka && settings.kafka_port !== undefined)
    throw new ConfigProblem("settings.kafka_port is for Kafka's clients; leave it out, or kafka: false");
}

function folderOf(storage: unknown): string | null {
  if (storage === "memory") return null;
  if (isNamed(storage) && "dir" in storage) {
    const { dir, ...others } = storage;
    const [stranger] = Object.keys(others);
    if (stranger !== undefined)
      throw new ConfigProblem(`storage has no ${JSON.stringify(stranger)}; expected dir`);
    // No system takes a path with a NUL.
    if (typeof dir === "string" && dir !== "" && !dir.includes("\0")) return dir;
  }
  throw new ConfigProblem(`storage is ${shownValue(storage)}; expected "memory" or { dir: "FOLDER" }`);
}
