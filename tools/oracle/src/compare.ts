/** Where two answers part, and which of the differences were foreseen. */
import type { Plain } from "./normalise.ts";

/** What one side did with a step of the script. */
export interface Step {
  readonly scenario: string;
  readonly step: string;
  readonly api: string;
  readonly version: number;
  readonly outcome: Plain;
}

export interface Difference {
  readonly scenario: string;
  readonly step: string;
  readonly api: string;
  readonly versions: readonly number[];
  /** The way to the value, names separated by dots; "" for the whole. */
  readonly path: string;
  readonly ours: string;
  readonly kafka: string;
}

/** A difference that is meant, and why. What is left out, or ends in `*`, fits whatever is there (from there on). */
export interface Expectation {
  readonly scenario: string;
  readonly step?: string;
  readonly path?: string;
  readonly ours?: string;
  readonly kafka?: string;
  readonly reason: string;
}

const NOTHING = "(nothing)";

function isTree(value: Plain | undefined): value is { readonly [name: string]: Plain } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: Plain | undefined): string {
  if (value === undefined) return NOTHING;
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface Parting {
  readonly path: string;
  readonly ours: string;
  readonly kafka: string;
}

/** Every place where two values part, as deep as both have names. */
export function partings(ours: Plain | undefined, kafka: Plain | undefined, path = ""): Parting[] {
  if (Array.isArray(ours) && Array.isArray(kafka) && ours.length === kafka.length) {
    return ours.flatMap((each, place) => partings(each, kafka[place], `${path}[${place}]`));
  }
  if (isTree(ours) && isTree(kafka)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(kafka)]);
    return [...names].flatMap((name) =>
      partings(ours[name], kafka[name], path === "" ? name : `${path}.${name}`),
    );
  }
  const [one, other] = [shown(ours), shown(kafka)];
  return one === other ? [] : [{ path, ours: one, kafka: other }];
}

function keyOf({ scenario, step }: Step): string {
  return `${scenario} / ${step}`;
}

/** The differences of one pass. A step that one side alone came to is one. */
export function differences(ours: readonly Step[], kafka: readonly Step[]): Difference[] {
  const theirs = new Map(kafka.map((step) => [keyOf(step), step]));
  const own = new Map(ours.map((step) => [keyOf(step), step]));
  return [...new Set([...own.keys(), ...theirs.keys()])].flatMap((key) => {
    const [one, other] = [own.get(key), theirs.get(key)];
    const { scenario, step, api, version } = (one ?? other) as Step;
    return partings(one?.outcome, other?.outcome).map((parting) => ({
      ...{ scenario, step, api, versions: [version] },
      ...parting,
    }));
  });
}

/** Differences that are the same but for the version, together. */
export function merged(all: readonly Difference[]): Difference[] {
  const found = new Map<string, Difference>();
  for (const each of all) {
    const { versions, ...rest } = each;
    const key = JSON.stringify(rest);
    const before = found.get(key);
    found.set(
      key,
      before === undefined ? each : { ...before, versions: [...new Set([...before.versions, ...versions])] },
    );
  }
  return [...found.values()];
}

function fits(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(value);
}

function isOf(expectation: Expectation, difference: Difference): boolean {
  return (["scenario", "step", "path", "ours", "kafka"] as const).every((name) =>
    fits(expectation[name], difference[name]),
  );
}

export interface Judgement {
  readonly unexpected: readonly Difference[];
  readonly expected: readonly (Difference & { readonly reason: string })[];
  /** Expectations that no difference fits any more: they are to be removed. */
  readonly idle: readonly Expectation[];
}

export function judge(all: readonly Difference[], expectations: readonly Expectation[]): Judgement {
  const used = new Set<Expectation>();
  const unexpected: Difference[] = [];
  const expected: (Difference & { readonly reason: string })[] = [];
  for (const difference of all) {
    const expectation = expectations.find((each) => isOf(each, difference));
    if (expectation === undefined) unexpected.push(difference);
    else {
      used.add(expectation);
      expected.push({ ...difference, reason: expectation.reason });
    }
  }
  return { unexpected, expected, idle: expectations.filter((each) => !used.has(each)) };
}
