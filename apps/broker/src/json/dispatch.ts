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
  type OperationName,
  type ParsedRequest,
  type ReadRequest,
  type RequestId,
  type ResponseFields,
  readRequest,
  successLine,
} from "@minikafka/protocol";
import type { Client } from "../connections/client.ts";
import { type Answer, type Dispatched, unreachableRejection } from "../connections/speech.ts";
import { type FaultyRequest, withFault } from "../faults/faulty-request.ts";
import { requestPoint, scopeOfRequest } from "../faults/request-points.ts";
import type { RequestRule } from "../faults/request-rule.ts";
import type { Recorder } from "../history/recorder.ts";
import { failure } from "./answer-line.ts";
import type { BrokerContext } from "./handler.ts";
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

export interface DispatcherOptions {
  /** Who writes down what is asked and answered. */
  readonly recorder?: Recorder;
  readonly context: BrokerContext;
  /** Draws the id of a fault. */
  readonly newFaultId: () => string;
  /** A fault that was answered with INTERNAL_ERROR. */
  readonly onFault: (faultId: string, operation: string, error: unknown) => void;
  /** What cannot happen has happened, or the kernel died: nothing that this process does can be trusted any more. */
  readonly onBroken: (error: Error) => void;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  #state: "serving" | "stopping" | "dead" = "serving";

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** From now on every request is answered with SHUTTING_DOWN. */
  stop(): void {
    if (this.#state === "serving") this.#state = "stopping";
  }

  /** Whether requests are carried out, are told that the broker stops, or are cut off. */
  get state(): "serving" | "stopping" | "dead" {
    return this.#state;
  }

  /** From now on nothing is carried out, nor answered: whoever asks is cut off, as by a process that has died. */
  die(): void {
    this.#state = "dead";
  }

  /** Carries out the request on a line. Never throws, and its promise never rejects. */
  dispatch(line: Buffer, client: Client): Dispatched {
    const { recorder } = this.#options;
    if (recorder === undefined) return this.#dispatch(line, client, () => undefined);
    let told: ReturnType<Recorder["taken"]> = null;
    // The line is read in place: it must be written down before.
    const text = Buffer.from(line);
    const result = this.#dispatch(line, client, (operation) => {
      told = recorder.taken(client.number, text, operation);
    });
    const tell = told as ReturnType<Recorder["taken"]>;
    if (tell !== null && result.answer instanceof Promise) result.answer.then(tell, unreachableRejection);
    else if (tell !== null) tell(result.answer as Answer);
    return result;
  }

  /** `onRead` is told of the operation before it is carried out; of `null` where there is none. */
  #dispatch(line: Buffer, client: Client, onRead: (operation: OperationName | null) => void): Dispatched {
    let read: ReadRequest;
    try {
      read = readRequest(line);
    } catch (error) {
      onRead(null);
      return inTurn(undefined, this.#failed(undefined, "reading a request", error));
    }
    onRead(read.kind === "refused" ? null : read.request.operation);
    if (read.kind === "refused") return inTurn(read.id, failure(read.id, read.code, read.message));
    const { id, request } = read;
    const rule = this.#options.context.faults.requests.firedAt(requestPoint(request.operation), () =>
      scopeOfRequest(request),
    );
    if (rule !== null) return this.#dispatchFaulty(rule, id, request, client);
    return dispatched(id, request, this.#carryOut(id, request, client), null);
  }

  #dispatchFaulty(
    rule: RequestRule,
    id: RequestId | undefined,
    request: AnyRequest,
    client: Client,
  ): Dispatched {
    const faulty: FaultyRequest = {
      client,
      carryOut: () => this.#carryOut(id, request, client),
      refuse: (code, message, details) => failure(id, code, message, details),
    };
    try {
      const { answer, begun } = withFault(rule, faulty, this.#options.context);
      return dispatched(id, request, answer, begun);
    } catch (error) {
      return dispatched(id, request, this.#failed(id, request.operation, error), null);
    }
  }

  #carryOut(id: RequestId | undefined, request: AnyRequest, client: Client): Answer | Promise<Answer> {
    if (this.#state === "dead") {
      client.cut("the broker has crashed");
      return null;
    }
    if (this.#state === "stopping")
      return failure(id, "SHUTTING_DOWN", "the broker is stopping; connect again once it is back");
    try {
      const fields = handle(request.operation, request, this.#options.context, client);
      return fields instanceof Promise
        ? this.#carryOutLater(id, request.operation, fields)
        : successLine(id, fields);
    } catch (error) {
      return this.#failed(id, request.operation, error);
    }
  }

  async #carryOutLater(
    id: RequestId | undefined,
    operation: string,
    fields: Promise<object>,
  ): Promise<Answer> {
    try {
      return successLine(id, await fields);
    } catch (error) {
      return this.#failed(id, operation, error);
    }
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
