/**
 * The kinds of values that a topic's setting may have: how each is read from JSON's simple values, and how what was
 * expected is said. A command line has only text, so that digits are taken as a number.
 */

/** As it comes from outside. */
export type RawSetting = string | number | boolean;

export interface SettingKind<Value extends string | number> {
  /** What may stand there, as it ends a sentence: `expected ${expected}`. */
  readonly expected: string;
  /** The value, in its one spelling; `null` when it is none of this kind. */
  readonly parse: (raw: RawSetting) => Value | null;
  /** Bounds, for the details of a refusal. */
  readonly bounds: { readonly min?: number; readonly max?: number };
}

export interface Bounds {
  readonly min: number;
  /** Default: the largest whole number that JSON carries exactly. Kafka's long is larger; nobody waits that long. */
  readonly max?: number;
}

/** A whole number. `what` names the unit: "of bytes"; `minimum` says what the least value means, when that is special. */
export function wholeNumber(what: string, bounds: Bounds, minimum = ""): SettingKind<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  const range = bounds.max === undefined ? `from ${min}` : `${min} to ${max}`;
  return {
    expected: `a whole number${what === "" ? "" : ` ${what}`}, ${range}${minimum === "" ? "" : ` (${min}: ${minimum})`}`,
    parse: (raw) => {
      const value = typeof raw === "string" && /^-?\d{1,15}$/.test(raw) ? Number(raw) : raw;
      return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
        ? value
        : null;
    },
    bounds: { min, max },
  };
}

/** A number from 0 to 1. */
export const ratio: SettingKind<number> = {
  expected: "a number from 0 to 1",
  parse: (raw) => {
    const value = typeof raw === "string" && /^(0|1|[01]?\.\d{1,15})$/.test(raw) ? Number(raw) : raw;
    return typeof value === "number" && value >= 0 && value <= 1 ? value : null;
  },
  bounds: { min: 0, max: 1 },
};

/** One of a few words, spelled as Kafka spells them. */
export function oneOf<Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return {
    expected: `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
    parse: (raw) => words.find((word) => word === raw) ?? null,
    bounds: {},
  };
}

export type CleanupPolicy = "delete" | "compact" | "compact,delete";

/** Kafka's list: one or both, in either order, blanks around the comma allowed. */
export const cleanupPolicy: SettingKind<CleanupPolicy> = {
  expected: 'delete, compact, or both as "compact,delete"',
  parse: (raw) => {
    if (typeof raw !== "string") return null;
    const words = raw.split(",").map((word) => word.trim());
    if (new Set(words).size < words.length) return null;
    if (words.some((word) => word !== "delete" && word !== "compact")) return null;
    return words.length === 2 ? "compact,delete" : (words[0] as CleanupPolicy);
  },
  bounds: {},
};
