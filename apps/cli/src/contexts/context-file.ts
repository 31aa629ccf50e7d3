/**
 * Brokers by names of one's own, in a file of the user's: `{"version":1,"current":"local","contexts":{"local":{"broker":"host:port"}}}`.
 *
 * Invariants: a file is whole, the old one or the new one, whenever it is read; one that is not understood is neither used in part nor
 * written over. No file is a file without contexts.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../failure.ts";
import { type BrokerAddress, brokerText, parseBroker } from "../input/arguments.ts";

export interface Contexts {
  /** The one that counts where none is named. */
  readonly current: string | null;
  readonly addresses: ReadonlyMap<string, BrokerAddress>;
}

const VERSION = 1;
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const NONE: Contexts = { current: null, addresses: new Map() };

export const NAME_EXPECTED =
  "Expected 1 to 64 letters, digits, dots, underscores and dashes, a letter or digit first.";

export function isContextName(text: string): boolean {
  return NAME.test(text);
}

/** Throws INVALID_CONTEXTS for a file that cannot be read or is none of contexts. */
export function readContexts(file: string): Contexts {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Programs that serve have /dev/null for a home, below which nothing is.
    if (code === "ENOENT" || code === "ENOTDIR") return NONE;
    throw invalid(file, `cannot be read: ${message}`);
  }
  try {
    return contextsIn(JSON.parse(text));
  } catch (error) {
    throw invalid(file, `is no file of contexts: ${(error as Error).message}`);
  }
}

function invalid(file: string, problem: string): CliError {
  return new CliError("INVALID_CONTEXTS", `${file} ${problem}`, {
    hint: "correct it, or move it away and add the contexts again; with -b HOST:PORT nobody needs it",
    details: { file },
  });
}

function contextsIn(document: unknown): Contexts {
  const { version, current = null, contexts } = objectOf(document, "all of it");
  if (version !== VERSION)
    throw new Error(`its version is ${JSON.stringify(version)}; this program reads ${VERSION}`);
  const addresses = new Map(
    Object.entries(objectOf(contexts, "contexts")).map(([name, each]) => {
      const { broker } = objectOf(each, `contexts.${name}`);
      if (!isContextName(name)) throw new Error(`${JSON.stringify(name)} is no name of a context`);
      if (typeof broker !== "string") throw new Error(`contexts.${name}.broker is no text`);
      return [name, addressIn(broker, name)] as const;
    }),
  );
  if (current === null) return { current, addresses };
  if (typeof current !== "string" || !addresses.has(current))
    throw new Error(`current is ${JSON.stringify(current)}, which is none of its contexts`);
  return { current, addresses };
}

function objectOf(value: unknown, what: string): { readonly [name: string]: unknown } {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new Error(`${what} is no object`);
  return value as { readonly [name: string]: unknown };
}

function addressIn(text: string, name: string): BrokerAddress {
  try {
    return parseBroker(text);
  } catch (error) {
    throw new Error(`contexts.${name}.broker is ${JSON.stringify(text)}. ${(error as Error).message}`);
  }
}

/**
 * Puts `contexts` in place of whatever the file held, wherever a link in its place leads, for who holds its folder (change-contexts.ts).
 * Throws INVALID_CONTEXTS where the system refuses.
 */
export function writeContexts(file: string, { current, addresses }: Contexts): void {
  const byName = [...addresses].sort(([left], [right]) => (left < right ? -1 : 1));
  const contexts = Object.fromEntries(byName.map(([name, each]) => [name, { broker: brokerText(each) }]));
  const text = `${JSON.stringify({ version: VERSION, current, contexts }, null, 2)}\n`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    replace(linkedPlace(file), text);
  } catch (error) {
    throw notWritable(file, error);
  }
}

/** INVALID_CONTEXTS for what the system has refused. */
export function notWritable(file: string, error: unknown): CliError {
  return new CliError("INVALID_CONTEXTS", `${file} cannot be written: ${(error as Error).message}`, {
    hint: "XDG_CONFIG_HOME (on Windows APPDATA) names another folder for it; with -b HOST:PORT nobody needs it",
    details: { file },
  });
}

function replace(place: string, text: string): void {
  // The name of one process: another that was killed in the middle may have left its own.
  const aside = `${place}.${process.pid}.new`;
  try {
    writeFileSync(aside, text, { flush: true });
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Who keeps his files of settings elsewhere has a link here, which stays one. */
function linkedPlace(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
