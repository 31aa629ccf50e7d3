/** Which broker a command is to talk to: what its line names, else the environment, else the current context, else the daemon's own default. */

import { nearest } from "@minikafka/record";
import { InvalidArgumentError } from "commander";
import { CliError } from "../failure.ts";
import { type BrokerAddress, PORT_DEFAULT, parseBroker } from "../input/arguments.ts";
import { type Contexts, readContexts } from "./context-file.ts";
import { contextsFile, type Environment } from "./context-place.ts";

export interface Target {
  readonly address: BrokerAddress;
  /** The context that has named it; `null` where its address was given, or nothing. */
  readonly context: string | null;
  /** The variable of the environment that has its address. */
  readonly variable?: string;
}

/** What a line names: one of both at most. */
export interface Named {
  readonly broker?: BrokerAddress | undefined;
  readonly context?: string | undefined;
}

export const BROKER_VARIABLE = "MINIKAFKA_BROKER";
export const CONTEXT_VARIABLE = "MINIKAFKA_CONTEXT";

/**
 * The file is read where a context is named, or where nothing else is. Throws USAGE, UNKNOWN_CONTEXT or INVALID_CONTEXTS: a command
 * that was meant for one broker must not go to another.
 */
export function targetOf({ broker, context }: Named, env: Environment): Target {
  if (broker !== undefined) return { address: broker, context: null };
  if (context !== undefined) return named(context, env);
  // A variable that is empty says nothing, as with most programs.
  const { [BROKER_VARIABLE]: ofBroker = "", [CONTEXT_VARIABLE]: ofContext = "" } = env;
  if (ofBroker !== "" && ofContext !== "")
    throw new CliError("USAGE", `${BROKER_VARIABLE} and ${CONTEXT_VARIABLE} exclude each other`, {
      hint: `unset one of them; -b HOST:PORT and --context NAME go before both`,
    });
  if (ofBroker !== "") return { address: addressIn(ofBroker), context: null, variable: BROKER_VARIABLE };
  if (ofContext !== "") return named(ofContext, env);
  const { current, addresses } = readContexts(contextsFile(env));
  const address = current === null ? undefined : addresses.get(current);
  return address === undefined
    ? { address: parseBroker(`:${PORT_DEFAULT}`), context: null }
    : { address, context: current };
}

function addressIn(text: string): BrokerAddress {
  try {
    return parseBroker(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError("USAGE", `${BROKER_VARIABLE} is ${JSON.stringify(text)}. ${error.message}`);
  }
}

function named(name: string, env: Environment): Target {
  return { address: requireContext(readContexts(contextsFile(env)), name), context: name };
}

/** Throws UNKNOWN_CONTEXT. */
export function requireContext({ addresses }: Contexts, name: string): BrokerAddress {
  const address = addresses.get(name);
  if (address !== undefined) return address;
  const meant = nearest(name, addresses.keys());
  throw new CliError("UNKNOWN_CONTEXT", `there is no context ${name}`, {
    ...(meant === null ? {} : { hint: `did you mean ${meant}?` }),
    details: { context: name },
  });
}
