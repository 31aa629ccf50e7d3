/**
 * A command's connection to the broker, through the SDK.
 *
 * Lives as long as the command's work: when `withSession` settles, no socket and no timer is left. The SDK is loaded here
 * and not before, so that help and usage errors don't pay for it.
 */
import type { Client } from "@minikafka/client";
import type { OperationName, ParsedResponse, RequestFields } from "@minikafka/protocol";
import type { Context } from "./context.ts";
import { TIMEOUT_DEFAULT_MS } from "./settings.ts";
import { withTopicMeant } from "./topic-meant.ts";

export interface Session {
  readonly client: Client;
  /** One request of the protocol, given up when the user interrupts. */
  call<Name extends OperationName>(name: Name, fields: RequestFields<Name>): Promise<ParsedResponse<Name>>;
}

/** Connects, works, and leaves nothing behind. `timeoutMs` is for the connection and for each answer. Throws CONNECTION when nobody answers there, and what the work throws. */
export async function withSession(
  context: Context,
  work: (session: Session) => Promise<undefined>,
  timeoutMs = context.settings.timeoutMs ?? TIMEOUT_DEFAULT_MS,
): Promise<undefined> {
  const { connect } = await import("@minikafka/client");
  const signal = context.interrupted;
  const client = await connect(context.settings.broker().address, {
    connectTimeoutMs: timeoutMs,
    requestTimeoutMs: timeoutMs,
    signal,
  });
  try {
    return await work({ client, call: (name, fields) => client.call(name, fields, { signal, timeoutMs }) });
  } catch (error) {
    throw await withTopicMeant(error, client.admin(), signal);
  } finally {
    await client.close();
  }
}
