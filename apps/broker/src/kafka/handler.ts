/**
 * What a handler of one of Kafka's APIs is given, and what it gives back.
 *
 * A handler is a file `handlers/<key>-<name>.ts`, and a line of handler-table.ts. Its card says how it behaves, what differs between
 * the versions, and what of Kafka is not modelled.
 */
import type { ApiName, KafkaErrorNumber, RequestOf, ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../broker-context.ts";
import type { Client } from "../connections/client.ts";
import type { KafkaPeer } from "./peer.ts";

/** One request, beside what it asks. */
export interface KafkaCall extends KafkaPeer {
  readonly api: ApiName;
  readonly version: number;
  readonly clientId: string | null;
  /** The connection: its waits end when it is gone, and its requests to one group or transaction keep their order. */
  readonly client: Client;
}

export interface KafkaHandler<Name extends ApiName> {
  /**
   * Takes effect before it returns, so that requests take effect in the order in which they came; only what it waits for may come
   * later. `null` stands for no answer. Throws or rejects with a BrokerError or a KafkaRefusal for what is amiss with all of it; what is
   * amiss with a part is a part of the answer (error-numbers.ts).
   */
  serve(
    request: RequestOf<Name>,
    context: BrokerContext,
    call: KafkaCall,
  ): ResponseOf<Name> | null | Promise<ResponseOf<Name> | null>;
  /** The answer when nothing was done: its error stands in the API's own place, or with each of its parts. */
  refusal(request: RequestOf<Name>, errorCode: KafkaErrorNumber, call: KafkaCall): ResponseOf<Name>;
  /** Whether the client waits for no answer; left out: it does. Its answers then have no place in the order. */
  isSilent?(request: RequestOf<Name>): boolean;
  /** Takes effect only when it is answered, and waits for nothing that another request does: what is sent behind it waits. */
  readonly takesEffectLate?: true;
}
