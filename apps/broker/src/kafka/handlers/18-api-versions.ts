/**
 * ApiVersions: which APIs are served, in which versions.
 *
 * Behaviour: the protocol's table itself, each API of which has a handler. Whatever version it is asked in, there is an answer: one that nobody knows
 * gets UNSUPPORTED_VERSION in the form of version 0, beside its own versions, so that the client can ask again (KIP-511).
 * Versions: 3 brought the client's name and version, which are read and kept by nobody; one that breaks Kafka's rule for names is
 * INVALID_REQUEST.
 * Not modelled: features of the cluster. None is named; above all no transaction.version, which would have clients speak KIP-890.
 */
import { type AnyApi, API_TABLE, KAFKA_ERRORS, responseFrame } from "@minikafka/protocol/kafka";
import type { Answer } from "../../connections/speech.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

/** Kafka: ApiVersionsRequest, which holds both to one pattern. */
const SOFTWARE = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;

export const apiVersions: KafkaHandler<"ApiVersions"> = {
  serve({ clientSoftwareName: name, clientSoftwareVersion }, _context, { version }) {
    if (version >= 3 && !(SOFTWARE.test(name) && SOFTWARE.test(clientSoftwareVersion)))
      throw new KafkaRefusal("INVALID_REQUEST", "the client's software has a name or version that cannot be");
    return { errorCode: NONE, apiKeys: Object.values(API_TABLE).map(namedKey) };
  },
  refusal: (_request, errorCode) => ({ errorCode, apiKeys: [] }),
};

/** To who asks in a version that nobody speaks. */
export function unsupportedVersion(correlationId: number): Answer {
  const api = API_TABLE[18];
  const response = { errorCode: KAFKA_ERRORS.UNSUPPORTED_VERSION, apiKeys: [namedKey(api)] };
  return responseFrame(api, 0, correlationId, response);
}

function namedKey({ key, versions: [minVersion, maxVersion] }: AnyApi) {
  return { apiKey: key, minVersion, maxVersion };
}
