/** What stands before the body of every request and response. */
import { type AnyApi, apiOf } from "./api-table.ts";
import { string } from "./field-types.ts";
import { Reader } from "./reader.ts";
import { type Api, isFlexible, isServed } from "./schema.ts";
import { readTags } from "./tagged-fields.ts";
import type { Writer } from "./writer.ts";

export interface RequestHeader {
  readonly apiKey: number;
  readonly apiVersion: number;
  /** The client's number for this request; its response carries the same. */
  readonly correlationId: number;
  readonly clientId: string | null;
}

/** A request whose header was read. */
export interface OpenedRequest {
  readonly header: RequestHeader;
  /** Null: a key that is not in the table. */
  readonly api: AnyApi | null;
  /** Whether `api` has this version, so that `body` can be read. */
  readonly isServed: boolean;
  /** Stands at the body. */
  readonly body: Reader;
}

/**
 * Reads the header of a frame. Where key or version are not served, nobody knows what stands behind the correlation id: it is
 * left unread, and `clientId` is null. Throws nothing but Malformed.
 */
export function openRequest(frame: Buffer): OpenedRequest {
  const body = new Reader(frame);
  const known = { apiKey: body.int16(), apiVersion: body.int16(), correlationId: body.int32() };
  const api = apiOf(known.apiKey) ?? null;
  if (api === null || !isServed(api, known.apiVersion)) {
    return { header: { ...known, clientId: null }, api, isServed: false, body };
  }
  // The client's name keeps its two bytes of length in header version 2 as well (KIP-482).
  const clientId = string.read(body, false);
  if (isFlexible(api, known.apiVersion)) skipTags(body);
  return { header: { ...known, clientId }, api, isServed: true, body };
}

export function writeRequestHeader(writer: Writer, api: Api, header: Omit<RequestHeader, "apiKey">): void {
  writer.int16(api.key);
  writer.int16(header.apiVersion);
  writer.int32(header.correlationId);
  string.write(writer, header.clientId, false);
  if (isFlexible(api, header.apiVersion)) writer.uvarint(0);
}

/** Whether the response's header ends in tagged fields (header version 1). */
function hasTags(api: Api, version: number): boolean {
  return isFlexible(api, version) && api.plainResponseHeader !== true;
}

export function writeResponseHeader(writer: Writer, api: Api, version: number, correlationId: number): void {
  writer.int32(correlationId);
  if (hasTags(api, version)) writer.uvarint(0);
}

/** The correlation id; leaves `reader` at the body. */
export function readResponseHeader(reader: Reader, api: Api, version: number): number {
  const correlationId = reader.int32();
  if (hasTags(api, version)) skipTags(reader);
  return correlationId;
}

function skipTags(reader: Reader): void {
  readTags(reader, new Map(), {});
}
