/**
 * From a line to its answer: read it strictly, hand it to the handler of its operation, say how it went.
 *
 * A BrokerError is an answer. Anything else is a fault of ours: the client gets INTERNAL_ERROR with an id that the log
 * carries too, and never a stack trace. A broken assertion or a crash of the kernel is told to `onBroken`, which stops the
 * daemon.
 */
import { AssertionFailure, BrokerError, CrashSignal } from "@minikafka/core";
import {
  type AnyRequest,
  isErrorCode,
  type OperationName,
  type ParsedRequest,
  type RequestId,
  type ResponseFields,
  readRequest,
  successLine,
} from "@minikafka/protocol";
import type { BrokerContext } from "../broker-context.ts";
import type { Client } from "../connections/client.ts";
import type { Answer, Dispatched } from "../connections/speech.ts";
import type { DispatcherOptions } from "../dispatcher-options.ts";
import { type FaultyRequest, withFault } from "../faults/faulty-request.ts";
import { pointPassed, scopeOfRequest } from "../faults/request-points.ts";
import type { RequestRule } from "../faults/request-rule.ts";
import { isWithoutHistory } from "../history/history.ts";
import { newAccount, type RequestAccount } from "../request-account.ts";
import { failure } from "./answer-line.ts";
import { askedOf, outcomeOf, type ReadLine, topicsOf } from "./asked.ts";
import { HANDLERS } from "./handler-table.ts";

/**
 * Operations whose handlers take effect later than they return; none of them waits for what another request does. Every other's
 * take effect before, also while they wait for others; but for compact, which may take long and changes nothing that others wait for.
 */
const HOLDING_BACK: readonly OperationName[] = [
  "create_topic",
  "create_partitions",
  "stop_broker",
  "start_broker",
  "promote",
  "rejoin",
  "delete_records",
  "replicate_once",
  "apply_retention",
  "flush_logs",
  "run_until_quiet",
];

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Carries out the request on a line. Never throws, and its promise never rejects. */
  dispatch(line: Buffer, client: Client): Dispatched {
    const { recorder } = this.#options;
    // The line is read in place: it must be written down before.
    const text = recorder === undefined ? line : Buffer.from(line);
    const read = readLine(line);
    const account = this.#accountOf(read, text, client);
    const result = this.#dispatch(read, client, account);
    account?.endsWith(result.answer, outcomeOf);
    return result;
  }

  /** `null` where nobody wants to know of it. */
  #accountOf(read: ReadLine, text: Buffer, client: Client): RequestAccount | null {
    const { recorder, context } = this.#options;
    if (read.kind === "request" && isWithoutHistory(read.request.operation)) return null;
    const number = context.events.countRequest();
    const tell = recorder?.taken(number, client.number, text) ?? null;
    const account = newAccount({ request: number, connection: client.number }, tell, context.events);
    account?.taken(() => ({ asked: askedOf(read), topics: topicsOf(read) }));
    return account;
  }

  #dispatch(read: ReadLine, client: Client, account: RequestAccount | null): Dispatched {
    if (read.kind === "failed") {
      return inTurn(undefined, this.#failed(undefined, "reading a request", read.error));
    }
    if (read.kind === "refused") return inTurn(read.id, failure(read.id, read.code, read.message));
    const { id, request } = read;
    const taken = { id, request, client, account };
    const point = pointPassed(request);
    const { requests } = this.#options.context.faults;
    const rule = point === null ? null : requests.firedAt(point, () => scopeOfRequest(request));
    if (rule !== null) return this.#dispatchFaulty(rule, taken);
    return dispatched(id, request, this.#carryOut(taken), null);
  }

  #dispatchFaulty(rule: RequestRule, taken: Taken): Dispatched {
    const { id, request, client } = taken;
    const faulty: FaultyRequest = {
      client,
      carryOut: () => this.#carryOut(taken),
      // At these points nothing else is armed.
      refuse: (code, message, details) =>
        failure(id, isErrorCode(code) ? code : "INTERNAL_ERROR", message, details),
    };
    try {
      const { answer, begun } = withFault(rule, faulty, this.#options.context);
      return dispatched(id, request, answer, begun);
    } catch (error) {
      return dispatched(id, request, this.#failed(id, request.operation, error), null);
    }
  }

  #carryOut(taken: Taken): Answer | Promise<Answer> {
    const answer = this.#answerTo(taken);
    if (!(answer instanceof Promise)) taken.account?.carriedOut(outcomeOf(answer));
    return answer;
  }

  #answerTo(taken: Taken): Answer | Promise<Answer> {
    const { id, request, client } = taken;
    const { service, context } = this.#options;
    if (service.state === "dead") {
      client.cut("the broker has crashed");
      return null;
    }
    if (service.state === "stopping")
      return failure(id, "SHUTTING_DOWN", "the broker is stopping; connect again once it is back");
    try {
      const fields = handle(request.operation, request, context, client);
      return fields instanceof Promise ? this.#carryOutLater(taken, fields) : successLine(id, fields);
    } catch (error) {
      return this.#failed(id, request.operation, error);
    }
  }

  async #carryOutLater({ id, request, account }: Taken, fields: Promise<object>): Promise<Answer> {
    let answer: Answer;
    try {
      answer = successLine(id, await fields);
    } catch (error) {
      answer = this.#failed(id, request.operation, error);
    }
    account?.carriedOut(outcomeOf(answer));
    return answer;
  }

  #failed(id: RequestId | undefined, operation: string, error: unknown): string {
    if (error instanceof BrokerError) return failure(id, error.code, error.message, error.details);
    const faultId = this.#options.newFaultId();
    this.#options.onFault(faultId, operation, error);
    if (error instanceof AssertionFailure || error instanceof CrashSignal) this.#options.onBroken(error);
    return failure(id, "INTERNAL_ERROR", `a fault of the broker; its log has more under ${faultId}`, {
      fault_id: faultId,
    });
  }
}

/** A request on its way. */
interface Taken {
  readonly id: RequestId | undefined;
  readonly request: AnyRequest;
  readonly client: Client;
  readonly account: RequestAccount | null;
}

function readLine(line: Buffer): ReadLine {
  try {
    return readRequest(line);
  } catch (error) {
    return { kind: "failed", error };
  }
}

/** The table pairs each name with the handler of just that request. */
function handle<Name extends OperationName>(
  name: Name,
  request: ParsedRequest<Name>,
  context: BrokerContext,
  client: Client,
): ResponseFields<Name> | Promise<ResponseFields<Name>> {
  return HANDLERS[name](request, context, client);
}

/** Whether the client asked for no answer, whatever comes of it. */
function isSilent(request: AnyRequest): boolean {
  return request.operation === "produce" && request.one_way && request.acks === 0;
}

const noAnswer = (): null => null;

/** An answer with an id leaves as soon as it is ready; one without waits for its turn. */
function inTurn(
  id: RequestId | undefined,
  answer: Dispatched["answer"],
  holdsBack: Dispatched["holdsBack"] = null,
): Dispatched {
  return { answer, hasPlace: id === undefined, holdsBack };
}

function dispatched(
  id: RequestId | undefined,
  request: AnyRequest,
  answer: Answer | Promise<Answer>,
  begun: Promise<void> | null,
): Dispatched {
  const takesEffectLate = answer instanceof Promise && HOLDING_BACK.includes(request.operation);
  const holdsBack = takesEffectLate ? answer : begun;
  if (!isSilent(request)) return inTurn(id, answer, holdsBack);
  return inTurn(id, answer instanceof Promise ? answer.then(noAnswer) : null, holdsBack);
}
