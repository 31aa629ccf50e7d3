/** What goes over the wire: the error table, the operations with their schemas, framing. */
export { ERRORS, type ErrorCode, type ErrorEntry, isErrorCode, isRetriable } from "./errors.ts";
export { base64Characters, decodeBase64, encodeBase64, writeBase64 } from "./json/bytes.ts";
export {
  type AnswerEnvelope,
  answerEnvelope,
  type ErrorDetails,
  type Failure,
  failureLine,
  PROTOCOL_VERSION,
  successLine,
} from "./json/envelope.ts";
export { factNames } from "./json/events/event-facts.ts";
export { REQUEST_EVENTS } from "./json/events/request-events.ts";
export {
  EVENT_KINDS,
  EVENTS,
  EVENTS_DROPPED,
  type EventFacts,
  type EventKind,
  eventLine,
  type WatchedEvent,
  watchedEvent,
} from "./json/events.ts";
export { issueText } from "./json/expectation.ts";
export {
  FAULT_ACTIONS,
  FAULT_SCOPES,
  type FaultActionName,
  type FaultCode,
  type FaultScopeName,
  type FaultTimesField,
} from "./json/fault-fields.ts";
export type { KernelFaultPointName } from "./json/fault-points.ts";
export type { Acks } from "./json/fields.ts";
export { FrameTooLarge, LineFramer } from "./json/framing.ts";
export { type LineBounds, REQUEST_BOUNDS } from "./json/line-structure.ts";
export { parseJsonWithBytes } from "./json/long-bytes.ts";
export type { Operation, RequestId } from "./json/operation.ts";
export { clockJumps } from "./json/operations/advance-clock.ts";
export {
  isOperationName,
  OPERATIONS,
  type OperationName,
  type ParsedRequest,
  type ParsedResponse,
  type RequestFields,
  type ResponseFields,
} from "./json/operations.ts";
export { type Parsed, parse } from "./json/parsing.ts";
export { type AnyRequest, type ReadRequest, readRequest } from "./json/request.ts";
export { withoutControls } from "./json/shown-text.ts";
export { isSnapshotName } from "./json/snapshot-fields.ts";
export { DEPTH_MAX, InvalidJson, type JsonObject, parseJsonObject } from "./json/strict-json.ts";
