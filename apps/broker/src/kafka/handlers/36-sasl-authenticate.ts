/**
 * SaslAuthenticate: refused, since no handshake can have come before.
 *
 * Behaviour: ILLEGAL_SASL_STATE, as Kafka answers one that follows no handshake.
 * Not modelled: authentication (17-sasl-handshake.ts).
 */
import { KAFKA_ERRORS } from "@minikafka/protocol/kafka";
import type { KafkaHandler } from "../handler.ts";

const NOTHING = Buffer.alloc(0);

export const saslAuthenticate: KafkaHandler<"SaslAuthenticate"> = {
  serve: () => ({
    errorCode: KAFKA_ERRORS.ILLEGAL_SASL_STATE,
    errorMessage: "There is no authentication here: connect without SASL",
    authBytes: NOTHING,
  }),
  refusal: (_request, errorCode) => ({ errorCode, authBytes: NOTHING }),
};
