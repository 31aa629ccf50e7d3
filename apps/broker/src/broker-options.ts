/** What a program may say of a broker that it starts: from JavaScript anything may come, and what is amiss is said in its words. */
import type { Disk, FaultPoints } from "@minikafka/core";
import { nearest, shownValue } from "@minikafka/record";
import type { Logger } from "pino";
import { ConfigProblem, type RawSettings, resolveSettings, type Settings } from "./config.ts";
import { portClash } from "./port-clash.ts";
import { settings } from "./settings-table.ts";

export interface BrokerOptions {
  /** Every setting by its name in a configuration file (`log_level`, default "warn" here); `data` is required. */
  readonly settings: RawSettings;
  /** Where the files are. Default: the machine's disk. */
  readonly disk?: Disk;
  readonly faults?: FaultPoints;
  readonly log?: Logger;
  /** False: no port for lines of JSON, links within the process only; those of Kafka's clients are there where `kafka_port` says so. */
  readonly listen?: boolean;
  /** What cannot happen has happened. Default: throws it, which ends the process. */
  readonly onBroken?: (error: Error) => void;
  /**
   * The process is to die in this instant: the operation crash, or a fault of action crash, `at` its point; not for `faults` of your
   * own, which have one themselves. Default: it goes on, nothing more is served, and `onBroken` is told.
   */
  readonly onCrash?: (at: string) => void;
  /** What replicas and disks are given to answer when it closes, with a clock that goes by itself. Default 5000. */
  readonly graceMs?: number;
}

const OPTIONS: readonly string[] = Object.keys({
  settings: true,
  disk: true,
  faults: true,
  log: true,
  listen: true,
  onBroken: true,
  onCrash: true,
  graceMs: true,
} satisfies { readonly [Name in keyof BrokerOptions]-?: true });

/** What a timer can hold. */
const GRACE_MS_MAX = 2 ** 31 - 1;

/** A program has a log of its own, which the news of a broker would drown. */
const DEFAULTS: RawSettings = { log_level: "warn" };

/** Throws {@link ConfigProblem}. */
export function programSettings(options: BrokerOptions): Settings {
  const given: Partial<BrokerOptions> = options ?? {};
  const stranger = Object.keys(given).find((name) => !OPTIONS.includes(name));
  if (stranger !== undefined) throw new ConfigProblem(strangeOption(stranger));
  const { graceMs = 0 } = given;
  if (!Number.isSafeInteger(graceMs) || graceMs < 0 || graceMs > GRACE_MS_MAX)
    throw new ConfigProblem(
      `graceMs is ${shownValue(graceMs)}; expected milliseconds from 0 to ${GRACE_MS_MAX}`,
    );
  const values = given.settings ?? {};
  if (values.data === undefined)
    throw new ConfigProblem("settings.data is missing: startBroker({ settings: { data: FOLDER } })");
  const found = resolveSettings([
    { name: "the defaults", values: DEFAULTS },
    { name: "the options", callsIt: (name) => `settings.${name}`, values },
  ]);
  const clash = portClash(found, given.listen ?? true);
  if (clash !== null) throw new ConfigProblem(clash);
  return found;
}

function strangeOption(name: string): string {
  if (Object.hasOwn(settings.shape, name))
    return `${name} is a setting: startBroker({ settings: { ${name}: … } })`;
  const meant = nearest(name, OPTIONS);
  const asked = meant === null ? "" : `did you mean ${meant}? `;
  return `startBroker has no option ${name}; ${asked}expected ${OPTIONS.join(", ")}`;
}
