/**
 * SaslHandshake: refused with a reason that clients show.
 *
 * Behaviour: UNSUPPORTED_SASL_MECHANISM, and no mechanism that could be asked for instead; the connection goes on, so that a client
 * that can do without is served.
 * Not modelled: authentication. Who reaches the port is trusted.
 */
import { KAFKA_ERRORS } from "@minikafka/protocol/kafka";
import type { KafkaHandler } from "../handler.ts";

export const saslHandshake: KafkaHandler<"SaslHandshake"> = {
  serve: () => ({ errorCode: KAFKA_ERRORS.UNSUPPORTED_SASL_MECHANISM, mechanisms: [] }),
  refusal: (_request, errorCode) => ({ errorCode, mechanisms: [] }),
};
