/** Which settings make a difference to what happens, so that a history is only true beside them. */
import { BrokerError } from "@minikafka/core";
import type { Settings } from "../config.ts";
import type { SettingName } from "../settings-table.ts";

/** Where it is, who may come, what is logged and kept; start and seed a history says itself. */
const OTHERS: ReadonlySet<string> = new Set([
  "data",
  "host",
  "port",
  "kafka_port",
  "advertise",
  "http_port",
  "start_time",
  "seed",
  "history_max_bytes",
  "snapshots_max_bytes",
  "log_level",
  "max_output_bytes",
  "max_connections",
  "open_files_max",
] satisfies SettingName[]);

export function settingsThatMatter(settings: Settings): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !OTHERS.has(name)));
}

/** Throws INVALID_CONFIG, with every setting that is another one. */
export function requireSameSettings(saved: { readonly [name: string]: unknown }, settings: Settings): void {
  const here = settingsThatMatter(settings);
  const names = [...new Set([...Object.keys(saved), ...Object.keys(here)])].sort();
  const others = names.filter((name) => JSON.stringify(saved[name]) !== JSON.stringify(here[name]));
  if (others.length === 0) return;
  const sentences = others.map((name) => `${name} was ${said(saved[name])} and is ${said(here[name])}`);
  throw new BrokerError(
    "INVALID_CONFIG",
    `the snapshot is of a broker with other settings: ${sentences.join(", ")}`,
  );
}

function said(value: unknown): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}
