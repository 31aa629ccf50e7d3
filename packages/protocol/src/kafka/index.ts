/** Kafka's binary protocol: the table of APIs with their messages, both ways, and the frames that carry them. */
export {
  type AnyApi,
  API_TABLE,
  type ApiName,
  type ApiNamed,
  apiOf,
  type RequestInputOf,
  type RequestOf,
  type ResponseOf,
  type ResponseValueOf,
} from "./api-table.ts";
export { TIMESTAMP_EARLIEST, TIMESTAMP_LATEST, TIMESTAMP_MAX } from "./apis/02-list-offsets.ts";
export { KEY_TYPE_GROUP, KEY_TYPE_TRANSACTION } from "./apis/10-find-coordinator.ts";
export { DELETE_TO_HIGH_WATERMARK } from "./apis/21-delete-records.ts";
export { ENDPOINT_BROKERS } from "./apis/60-describe-cluster.ts";
export { ANY_DURATION } from "./apis/66-list-transactions.ts";
export { OPERATIONS_NOT_ASKED } from "./apis/authorized-operations.ts";
export {
  CONFIG_OPERATION,
  CONFIG_SOURCE,
  CONFIG_TYPE,
  RESOURCE_BROKER,
  RESOURCE_TOPIC,
} from "./apis/config-numbers.ts";
export { Malformed, Unencodable } from "./codec-errors.ts";
export { ZERO_UUID } from "./field-types.ts";
export { FRAME_SIZE_BYTES, FrameRefused, FrameSplitter, requestFrame, responseFrame } from "./framing.ts";
export { type OpenedRequest, openRequest, type RequestHeader, readResponseHeader } from "./headers.ts";
export { KAFKA_ERRORS, type KafkaErrorName, type KafkaErrorNumber, kafkaErrorName } from "./kafka-errors.ts";
export {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  readRequest,
  readResponse,
} from "./messages.ts";
export { Reader } from "./reader.ts";
export { type Api, type InputOf, isFlexible, isServed, servedVersions, type ValueOf } from "./schema.ts";
