/**
 * From a frame of Kafka's to its answer: read it strictly, hand it to the handler of its API, say how it went.
 *
 * A refusal is an answer, with its number in the API's own places. What cannot be read, or has a version that nobody speaks, is cut
 * off, as in Kafka: there is no form for its answer. ApiVersions alone is answered whatever its version (KIP-511). A fault of ours is
 * UNKNOWN_SERVER_ERROR to the client; the log has more.
 */
import { AssertionFailure, BrokerError, CrashSignal } from "@minikafka/core";
import { type FaultCode, isErrorCode } from "@minikafka/protocol";
import {
  API_TABLE,
  type ApiName,
  type ApiNamed,
  KAFKA_ERRORS,
  type KafkaErrorNumber,
  Malformed,
  type OpenedRequest,
  openRequest,
  type RequestOf,
  type ResponseOf,
  readRequest,
  responseFrame,
} from "@minikafka/protocol/kafka";
import type { Client } from "../connections/client.ts";
import type { Answer, Dispatched } from "../connections/speech.ts";
import type { DispatcherOptions } from "../dispatcher-options.ts";
import { withFault } from "../faults/faulty-request.ts";
import { kafkaPoint, kafkaScope } from "../faults/kafka-points.ts";
import { newAccount, type RequestAccount } from "../request-account.ts";
import { askedOf, errorName, outcomeOf, topicsOf, unread } from "./asked.ts";
import { KafkaRefusal, numberOf, numberOfCode } from "./error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "./handler.ts";
import { handlerOf } from "./handler-table.ts";
import { unsupportedVersion } from "./handlers/18-api-versions.ts";
import type { KafkaPeer } from "./peer.ts";
import { malformed, unspoken } from "./unreadable.ts";

/** A request that was read, in its own type. */
interface ReadCall<Name extends ApiName> {
  readonly api: ApiNamed<Name>;
  readonly handler: KafkaHandler<Name>;
  readonly request: RequestOf<Name>;
  readonly correlationId: number;
  readonly call: KafkaCall;
  readonly account: RequestAccount | null;
}

/** Who asked. */
interface Asker {
  readonly client: Client;
  readonly peer: KafkaPeer;
  readonly account: RequestAccount | null;
  /** Of the request. */
  readonly number: number;
}

export class KafkaDispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Carries out the request in a frame. Never throws, and its promise never rejects. */
  dispatch(frame: Buffer, client: Client, peer: KafkaPeer): Dispatched {
    const { recorder, context } = this.#options;
    const number = context.events.countRequest();
    // A frame is read in place: it must be written down before.
    const tell = recorder?.takenFrame(number, client.number, frame, peer) ?? null;
    const account = newAccount({ request: number, connection: client.number }, tell, context.events);
    const result = this.#dispatch(frame, { client, peer, account, number });
    account?.endsWith(result.answer, () => null);
    return result;
  }

  #dispatch(frame: Buffer, asker: Asker): Dispatched {
    const { client, peer, account, number: request } = asker;
    const refusal = { request, brokerId: peer.brokerId };
    let opened: OpenedRequest | null = null;
    try {
      opened = openRequest(frame);
      const { header, api } = opened;
      if (opened.isServed && api !== null) return this.#read(api.name, opened, asker);
      account?.taken(() => unread(peer, header.correlationId, api?.name ?? null));
      if (api?.name === "ApiVersions") {
        account?.carriedOut("UNSUPPORTED_VERSION");
        return atOnce(unsupportedVersion(header.correlationId));
      }
      client.refuse({ ...refusal, reason: unspoken(header, api) });
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const { header = null, api = null } = opened ?? {};
      account?.taken(() => unread(peer, header?.correlationId ?? null, api?.name ?? null));
      client.refuse({ ...refusal, reason: malformed(header, api, error) });
    }
    return atOnce(null);
  }

  #read<Name extends ApiName>(
    name: Name,
    opened: OpenedRequest,
    { client, peer, account }: Asker,
  ): Dispatched {
    const { header, body } = opened;
    const api = API_BY_NAME[name];
    const handler = handlerOf(name);
    const { apiVersion: version, clientId, correlationId } = header;
    // What stands behind the last field is passed over, as by Kafka (RequestContext.parseRequest).
    const request = readRequest(api, version, body) as RequestOf<Name>;
    const call: KafkaCall = { ...peer, api: name, version, clientId, client };
    return this.#dispatchRead({ api, handler, request, correlationId, call, account });
  }

  #dispatchRead<Name extends ApiName>(read: ReadCall<Name>): Dispatched {
    const { handler, request, call, account } = read;
    const { context } = this.#options;
    const isSilent = handler.isSilent?.(request) ?? false;
    const scope = () => kafkaScope(request, call.brokerId, (topicId) => context.cluster.topicOfId(topicId));
    account?.taken(() => {
      const about = scope();
      return { asked: askedOf(read, about), topics: topicsOf(about) };
    });
    const rule = context.faults.requests.firedAt(kafkaPoint(call.api), scope);
    if (rule === null) return dispatched(read, this.#carryOut(read), null, isSilent);
    const faulty = {
      client: call.client,
      carryOut: () => this.#carryOut(read),
      refuse: (code: FaultCode) =>
        this.#refused(read, isErrorCode(code) ? numberOfCode(code, call) : KAFKA_ERRORS[code]),
    };
    try {
      const { answer, begun } = withFault(rule, faulty, context);
      return dispatched(read, answer, begun, isSilent);
    } catch (error) {
      return dispatched(read, this.#failed(read, error), null, isSilent);
    }
  }

  #carryOut<Name extends ApiName>(read: ReadCall<Name>): Answer | Promise<Answer> {
    const { handler, request, call } = read;
    const { context, service } = this.#options;
    if (service.state === "dead") call.client.cut("the broker has crashed");
    // Who asks a broker that is going is told by the end of the connection.
    if (service.state !== "serving") return null;
    try {
      const response = handler.serve(request, context, call);
      return response instanceof Promise ? this.#carryOutLater(read, response) : served(read, response);
    } catch (error) {
      return this.#failed(read, error);
    }
  }

  async #carryOutLater<Name extends ApiName>(
    read: ReadCall<Name>,
    response: Promise<ResponseOf<Name> | null>,
  ): Promise<Answer> {
    try {
      return served(read, await response);
    } catch (error) {
      return this.#failed(read, error);
    }
  }

  #failed<Name extends ApiName>(read: ReadCall<Name>, error: unknown): Answer {
    const { call } = read;
    if (error instanceof BrokerError || error instanceof KafkaRefusal)
      return this.#refused(read, numberOf(error, call));
    this.#tellFault(call, error);
    return this.#refused(read, KAFKA_ERRORS.UNKNOWN_SERVER_ERROR);
  }

  /** A refusal that cannot be written is a fault of ours; its client is cut off, and nobody else hears of it. */
  #refused<Name extends ApiName>(read: ReadCall<Name>, errorCode: KafkaErrorNumber): Answer {
    try {
      return refused(read, errorCode);
    } catch (error) {
      this.#tellFault(read.call, error);
      read.call.client.cut("the answer cannot be written");
      return null;
    }
  }

  #tellFault({ api }: KafkaCall, error: unknown): void {
    const { newFaultId, onFault, onBroken } = this.#options;
    onFault(newFaultId(), api, error);
    if (error instanceof AssertionFailure || error instanceof CrashSignal) onBroken(error);
  }
}

type ApisByName = { readonly [Name in ApiName]: ApiNamed<Name> };

const API_BY_NAME = Object.fromEntries(Object.values(API_TABLE).map((api) => [api.name, api])) as ApisByName;

function served<Name extends ApiName>(read: ReadCall<Name>, response: ResponseOf<Name> | null): Answer {
  read.account?.carriedOut(outcomeOf(response));
  return encoded(read, response);
}

function refused<Name extends ApiName>(read: ReadCall<Name>, errorCode: KafkaErrorNumber): Answer {
  const { handler, request, call, account } = read;
  account?.carriedOut(errorName(errorCode));
  return encoded(read, handler.refusal(request, errorCode, call));
}

function encoded<Name extends ApiName>(
  { api, correlationId, call }: ReadCall<Name>,
  response: ResponseOf<Name> | null,
): Answer {
  if (response === null) return null;
  return responseFrame(api, call.version, correlationId, response);
}

function dispatched<Name extends ApiName>(
  { handler }: ReadCall<Name>,
  answer: Answer | Promise<Answer>,
  begun: Promise<void> | null,
  isSilent: boolean,
): Dispatched {
  const takesEffectLate = handler.takesEffectLate === true && answer instanceof Promise;
  const holdsBack = takesEffectLate ? answer : begun;
  if (!isSilent) return { answer, hasPlace: true, holdsBack };
  return { answer: answer instanceof Promise ? answer.then(noAnswer) : null, hasPlace: false, holdsBack };
}

const noAnswer = (): null => null;

function atOnce(answer: Answer): Dispatched {
  return { answer, hasPlace: true, holdsBack: null };
}
