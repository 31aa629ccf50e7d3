/** Messages that our own codec of Kafka's protocol writes and reads, sent over a connection of the client's. */
import {
  type AnyApi,
  API_TABLE,
  type ApiName,
  type ApiNamed,
  decodeResponse,
  encodeRequest,
  type RequestInputOf,
  type ResponseValueOf,
} from "@minikafka/protocol/kafka";
import type { Library } from "./client-library.ts";
import type { Connection } from "./kafka-link.ts";

const BY_NAME = Object.fromEntries(Object.values(API_TABLE).map((api) => [api.name, api])) as {
  readonly [Name in ApiName]: ApiNamed<Name>;
};

/** `version` is one with flexible headers (KIP-482). */
export function exchange<Name extends ApiName>(
  library: Library,
  connection: Connection,
  name: Name,
  version: number,
  request: RequestInputOf<Name>,
): Promise<ResponseValueOf<Name>> {
  const api: AnyApi = BY_NAME[name];
  const payload = () => library.Writer.create().append(encodeRequest(api, version, request));
  return new Promise((resolve, reject) => {
    connection.send<ResponseValueOf<Name>>(
      api.key,
      version,
      payload,
      (_correlationId, _key, _version, { buffer, position }) =>
        decodeResponse(api, version, buffer.slice(position)) as ResponseValueOf<Name>,
      true,
      true,
      (error, answer) => (answer === undefined || error !== null ? reject(error) : resolve(answer)),
    );
  });
}

/** What the client throws for such an error of its own messages. */
export function requireNoError(library: Library, number: number, message: string | null = null): void {
  if (number !== 0) throw new library.ProtocolError(number, message);
}
