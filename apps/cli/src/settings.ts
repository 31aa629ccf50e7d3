/**
 * The options that every command has. They are accepted before and after the command's name, and the one nearest to the
 * end of the line wins: each command declares them itself, so that a value such as `-v -q` still belongs to `-v`.
 */
import { type Command, InvalidArgumentError } from "commander";
import { CliError } from "./failure.ts";
import { type BrokerAddress, PORT_DEFAULT, parseBroker, parseTimeout } from "./input/arguments.ts";

export interface Settings {
  readonly broker: BrokerAddress;
  readonly json: boolean;
  readonly quiet: boolean;
  /** How long to wait for a connection and for each answer; `null` when the user did not say. */
  readonly timeoutMs: number | null;
}

export const BROKER_VARIABLE = "MINIKAFKA_BROKER";
/** Patience for a broker on the same machine or network. */
export const TIMEOUT_DEFAULT_MS = 10_000;

interface SharedOptions {
  readonly broker?: BrokerAddress;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly timeout?: number;
}

type Environment = { readonly [name: string]: string | undefined };

const TIMEOUT_HELP = "how long to wait for the connection and each answer (default: 10s)";

const BROKER_HELP = `the broker to talk to (env: ${BROKER_VARIABLE}, default: 127.0.0.1:${PORT_DEFAULT})`;

/** The help of what means something else for one command. */
interface OtherHelp {
  readonly timeout?: string;
  readonly broker?: string;
}

export function addSharedOptions(
  command: Command,
  { timeout = TIMEOUT_HELP, broker = BROKER_HELP }: OtherHelp = {},
): Command {
  return command
    .optionsGroup("Options of every command, before or after its name:")
    .option("-b, --broker <host:port>", broker, parseBroker)
    .option("-J, --json", "print JSON: one document, or one a line where there are many; errors too")
    .option("-q, --quiet", "no hints and remarks on stderr, only errors")
    .option("--timeout <duration>", timeout, parseTimeout)
    .helpOption("-h, --help", "show this help");
}

/** What the user asked for, from the innermost command outwards, then from the environment. */
export function settingsOf(command: Command, env: Environment): Settings {
  let given: SharedOptions = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    given = { ...at.opts<SharedOptions>(), ...given };
  }
  return {
    broker: given.broker ?? brokerOf(env),
    json: given.json === true,
    quiet: given.quiet === true,
    timeoutMs: given.timeout ?? null,
  };
}

function brokerOf(env: Environment): BrokerAddress {
  const text = env[BROKER_VARIABLE];
  try {
    return parseBroker(text === undefined || text === "" ? `:${PORT_DEFAULT}` : text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError("USAGE", `${BROKER_VARIABLE} is ${JSON.stringify(text)}. ${error.message}`);
  }
}
