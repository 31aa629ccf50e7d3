/**
 * The options that every command has. They are accepted before and after the command's name, and the one nearest to the
 * end of the line wins: each command declares them itself, so that a value such as `-v -q` still belongs to `-v`.
 */
import type { Command } from "commander";
import type { Environment } from "./contexts/context-place.ts";
import { BROKER_VARIABLE, CONTEXT_VARIABLE, type Named, type Target, targetOf } from "./contexts/target.ts";
import { CliError } from "./failure.ts";
import { PORT_DEFAULT, parseBroker, parseTimeout } from "./input/arguments.ts";

export interface Settings {
  /**
   * The broker to talk to, the same one however often it is asked for. Throws as `targetOf` does: a command that talks to none does not
   * ask, so that neither variables nor a damaged file keep it from its work.
   */
  readonly broker: () => Target;
  readonly json: boolean;
  readonly quiet: boolean;
  /** How long to wait for a connection and for each answer; `null` when the user did not say. */
  readonly timeoutMs: number | null;
}

/** Patience for a broker on the same machine or network. */
export const TIMEOUT_DEFAULT_MS = 10_000;

interface SharedOptions extends Named {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly timeout?: number;
}

const TIMEOUT_HELP = "how long to wait for the connection and each answer (default: 10s)";

const BROKER_HELP = `the broker to talk to (env: ${BROKER_VARIABLE}, default: the current context's, or 127.0.0.1:${PORT_DEFAULT})`;
const CONTEXT_HELP = `the broker that context add has given this name (env: ${CONTEXT_VARIABLE})`;

/** The help of what means something else for one command. */
interface OtherHelp {
  readonly timeout?: string;
  readonly broker?: string;
  readonly context?: string;
}

export function addSharedOptions(
  command: Command,
  { timeout = TIMEOUT_HELP, broker = BROKER_HELP, context = CONTEXT_HELP }: OtherHelp = {},
): Command {
  return command
    .optionsGroup("Options of every command, before or after its name:")
    .option("-b, --broker <host:port>", broker, parseBroker)
    .option("--context <name>", context)
    .option("-J, --json", "print JSON: one document, or one a line where there are many; errors too")
    .option("-q, --quiet", "no hints and remarks on stderr, only errors")
    .option("--timeout <duration>", timeout, parseTimeout)
    .helpOption("-h, --help", "show this help");
}

/** What the user asked for, from the innermost command outwards, then from the environment. Throws USAGE for two brokers at once. */
export function settingsOf(command: Command, env: Environment): Settings {
  const given = optionsOf(command);
  if (given.broker !== undefined && given.context !== undefined)
    throw new CliError("USAGE", "-b and --context exclude each other");
  let target: Target | null = null;
  return {
    broker: () => {
      target ??= targetOf(given, env);
      return target;
    },
    json: given.json === true,
    quiet: given.quiet === true,
    timeoutMs: given.timeout ?? null,
  };
}

/** Whether the line itself names a broker. */
export function namesBroker(command: Command): boolean {
  const { broker, context } = optionsOf(command);
  return broker !== undefined || context !== undefined;
}

function optionsOf(command: Command): SharedOptions {
  let given: SharedOptions = {};
  for (let at: Command | null = command; at !== null; at = at.parent)
    given = { ...at.opts<SharedOptions>(), ...given };
  return given;
}
