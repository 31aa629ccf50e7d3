/**
 * From a line to its answer: read it strictly, hand it to the handler of its operation, say how it went.
 *
 * A BrokerError is an answer. Anything else is a fault of ours: the client gets INTERNAL_ERROR with an id that the log
 * carries too, and never a stack trace. A broken assertion is told to `onBroken`, which stops the daemon.
 */
import { randomUUID } from "node:crypto";
import { AssertionFailure, BrokerError } from "@minikafka/core";
import {
  type AnyRequest,
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  failureLine,
  type RequestId,
  readRequest,
  successLine,
} from "@minikafka/protocol";
import type { WaitHolder } from "../parking.ts";
import type { BrokerContext, Handler } from "./handler.ts";
import { HANDLERS } from "./handler-table.ts";

/** The line of an answer, or `null` when the client asked for none. */
export type AnswerLine = string | null;

export interface Dispatched {
  readonly id: RequestId | undefined;
  readonly line: AnswerLine | Promise<AnswerLine>;
}

export interface DispatcherOptions {
  readonly context: BrokerContext;
  /** A fault that was answered with INTERNAL_ERROR. */
  readonly onFault: (faultId: string, operation: string, error: unknown) => void;
  /** What cannot happen has happened: nothing that this process does can be trusted any more. */
  readonly onBroken: (error: AssertionFailure) => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  #isStopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** From now on every request is answered with SHUTTING_DOWN. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Carries out the request on a line. Never throws, and its promise never rejects. */
  dispatch(line: Buffer, holder: WaitHolder): Dispatched {
    const read = readRequest(line);
    if (read.kind === "refused") return { id: read.id, line: failure(read.id, read.code, read.message) };
    const { id, request } = read;
    const answer = this.#carryOut(id, request, holder);
    if (request.operation !== "produce" || !request.one_way || request.acks !== 0)
      return { id, line: answer };
    return { id, line: answer instanceof Promise ? answer.then(() => null) : null };
  }

  #carryOut(
    id: RequestId | undefined,
    request: AnyRequest,
    holder: WaitHolder,
  ): AnswerLine | Promise<AnswerLine> {
    if (this.#isStopping)
      return failure(id, "SHUTTING_DOWN", "the broker is stopping; connect again once it is back");
    // The table pairs each name with the handler of just that request; TypeScript cannot follow a union through it.
    const handler = HANDLERS[request.operation] as Handler<typeof request.operation>;
    try {
      const fields = handler(request as never, this.#options.context, holder);
      if (!(fields instanceof Promise)) return successLine(id, fields);
      return fields.then(
        (later) => successLine(id, later),
        (error: unknown) => this.#failed(id, request.operation, error),
      );
    } catch (error) {
      return this.#failed(id, request.operation, error);
    }
  }

  #failed(id: RequestId | undefined, operation: string, error: unknown): string {
    if (error instanceof BrokerError) return failure(id, error.code, error.message, error.details);
    const faultId = randomUUID();
    this.#options.onFault(faultId, operation, error);
    if (error instanceof AssertionFailure) this.#options.onBroken(error);
    return failure(id, "INTERNAL_ERROR", `a fault of the broker; its log has more under ${faultId}`, {
      fault_id: faultId,
    });
  }
}

/** The line of a failure; `retriable` comes from the one table. */
export function failure(
  id: RequestId | undefined,
  code: ErrorCode,
  message: string,
  details: ErrorDetails = {},
): string {
  const { retriable } = ERRORS[code];
  return failureLine(
    id,
    Object.keys(details).length === 0 ? { code, message, retriable } : { code, message, retriable, details },
  );
}
