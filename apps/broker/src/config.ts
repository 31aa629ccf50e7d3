/**
 * The daemon's configuration: the table of settings, read from a file, the environment and the flags (the later goes before
 * the earlier), checked once and frozen.
 */
import { readFileSync } from "node:fs";
import { issueText } from "@minikafka/protocol";
import { shownValue } from "@minikafka/record";
import { z } from "zod";
import { kafkaProblem } from "./kafka/kafka-settings.ts";
import { meantSettings } from "./settings-meant.ts";
import { flagName, type SettingName, settings, variableName } from "./settings-table.ts";

export type Settings = Readonly<z.output<typeof settings>>;
/** What a source says, before it is checked. */
export type RawSettings = { readonly [name: string]: unknown };

/** A setting that cannot be used; the message names it, where it was set, and what was expected. */
export class ConfigProblem extends Error {
  override readonly name = "ConfigProblem";
  /** For programs, as the broker's own codes are. */
  readonly code = "INVALID_CONFIG";
}

const NAMES = Object.keys(settings.shape) as SettingName[];

/** Text from the environment or a flag as the value it stands for; what stands for none is left to the check. */
export function settingValue(name: SettingName, text: string): unknown {
  const schema: z.ZodType = settings.shape[name];
  if (schema.safeParse(text).success) return text;
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === "true" || text === "false" ? text === "true" : text;
}

/** The settings among the environment's variables. Variables of other programs, such as the command line's, are left alone. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): RawSettings {
  const found: [string, unknown][] = [];
  for (const name of NAMES) {
    const text = environment[variableName(name)];
    if (text !== undefined && text !== "") found.push([name, settingValue(name, text)]);
  }
  return Object.fromEntries(found);
}

/** The settings of a JSON file. Throws {@link ConfigProblem}. */
export function fromFile(path: string): RawSettings {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigProblem(`the configuration file cannot be read: ${(error as Error).message}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as RawSettings;
  } catch (error) {
    throw new ConfigProblem(`the configuration file ${path} is not JSON: ${(error as Error).message}`);
  }
  throw new ConfigProblem(`the configuration file ${path} holds no JSON object`);
}

export interface ConfigSource {
  /** For messages: "the flags", "the environment", a file's path. */
  readonly name: string;
  /** What a setting is called there, when it has a name of its own: `--port`, `MINIKAFKA_PORT`. */
  readonly callsIt?: (setting: string) => string;
  readonly values: RawSettings;
}

/** What a value is called elsewhere: a clock that is not manual is real in startBroker of @minikafka/testing. */
const OTHER_WORDS: { readonly [Name in SettingName]?: { readonly [word: string]: string } } = {
  clock: { real: "auto" },
};

/** A word of a setting as the table has it: leader_epoch is leader-epoch. What is no such word is left to the check. */
function inOurWords([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value !== "string" || !isSetting(name)) return [name, value];
  const written = [value, OTHER_WORDS[name]?.[value], value.replaceAll("_", "-")];
  return [name, wordsOf(name).find((word) => written.includes(word)) ?? value];
}

/** Those that it takes; of any other kind of setting none. */
function wordsOf(name: SettingName): readonly string[] {
  let schema: unknown = settings.shape[name];
  while (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) schema = schema.unwrap();
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(settings.shape, name);
}

/** Checks what the sources say; a later one goes before an earlier. Throws {@link ConfigProblem}. */
export function resolveSettings(sources: readonly ConfigSource[]): Settings {
  const said = Object.assign(Object.create(null), ...sources.map(({ values }) => values));
  const merged = Object.fromEntries(Object.entries(said).map(inOurWords));
  const parsed = settings.safeParse(merged, { error: issueText });
  if (!parsed.success)
    throw new ConfigProblem(parsed.error.issues.map((issue) => sentence(issue, sources)).join("; "));
  const found = parsed.data;
  if (found.start_time !== undefined && found.clock !== "manual") {
    throw new ConfigProblem("start_time is for a manual clock; add clock manual, or leave it out");
  }
  if (found.seed !== undefined && found.clock !== "manual") {
    throw new ConfigProblem("seed is for a manual clock; add clock manual, or leave it out");
  }
  const problem = kafkaProblem(found);
  if (problem !== null) throw new ConfigProblem(problem);
  return Object.freeze(found);
}

function sentence(issue: z.core.$ZodIssue, sources: readonly ConfigSource[]): string {
  if (issue.code === "unrecognized_keys") {
    const origin = sources.findLast(({ values }) => issue.keys.some((key) => Object.hasOwn(values, key)));
    const { said, areCertain } = meantSettings(issue.keys);
    const all = areCertain ? [] : [`the settings are ${NAMES.join(", ")}`];
    const hint = [said, ...all].filter((part) => part !== "").join(said.endsWith("?") ? " " : "; ");
    return `there is no setting ${issue.keys.join(", ")} (in ${origin?.name}); ${hint}`;
  }
  const name = String(issue.path[0]);
  const origin = sources.findLast(({ values }) => Object.hasOwn(values, name));
  if (origin === undefined) {
    return `${name} is missing; give ${flagName(name)}, ${variableName(name)}, or ${name} in the file of --config`;
  }
  const from = origin.callsIt?.(name) ?? origin.name;
  return `${name} is ${shownValue(origin.values[name])} (from ${from}): ${issue.message}`;
}
