/** Bodies of requests and responses of an API in a version, both ways. */
import { type Codec, structCodec } from "./codec.ts";
import { ANSWER_ELEMENTS_MAX, Reader } from "./reader.ts";
import {
  type Api,
  type InputOf,
  isFlexible,
  isServed,
  type StructType,
  servedVersions,
  type ValueOf,
} from "./schema.ts";
import { Writer } from "./writer.ts";

function codecOf(api: Api, version: number, type: StructType): Codec {
  if (!isServed(api, version)) {
    const { from, to } = servedVersions(api);
    throw new RangeError(`${api.name} has no version ${version}; its versions are ${from}-${to}`);
  }
  return structCodec(type, { version, isFlexible: isFlexible(api, version) });
}

/** Reads a request and leaves alone what stands behind it. Throws nothing but Malformed. */
export function readRequest<A extends Api>(api: A, version: number, reader: Reader): ValueOf<A["request"]> {
  return codecOf(api, version, api.request).read(reader) as ValueOf<A["request"]>;
}

/** As {@link readRequest}, for a response. */
export function readResponse<A extends Api>(api: A, version: number, reader: Reader): ValueOf<A["response"]> {
  return codecOf(api, version, api.response).read(reader) as ValueOf<A["response"]>;
}

/** Writes a request. A field that the version does not have is left out in silence. */
export function writeRequest<A extends Api>(
  api: A,
  version: number,
  writer: Writer,
  request: InputOf<A["request"]>,
): void {
  codecOf(api, version, api.request).write(writer, request);
}

/** As {@link writeRequest}, for a response. */
export function writeResponse<A extends Api>(
  api: A,
  version: number,
  writer: Writer,
  response: InputOf<A["response"]>,
): void {
  codecOf(api, version, api.response).write(writer, response);
}

/** A request that fills all of `bytes`. */
export function decodeRequest<A extends Api>(api: A, version: number, bytes: Buffer): ValueOf<A["request"]> {
  const reader = new Reader(bytes);
  const request = readRequest(api, version, reader);
  reader.expectEnd();
  return request;
}

/** A response that fills all of `bytes`. */
export function decodeResponse<A extends Api>(
  api: A,
  version: number,
  bytes: Buffer,
): ValueOf<A["response"]> {
  const reader = new Reader(bytes, ANSWER_ELEMENTS_MAX);
  const response = readResponse(api, version, reader);
  reader.expectEnd();
  return response;
}

export function encodeRequest<A extends Api>(
  api: A,
  version: number,
  request: InputOf<A["request"]>,
): Buffer {
  const writer = new Writer();
  writeRequest(api, version, writer, request);
  return writer.whole();
}

export function encodeResponse<A extends Api>(
  api: A,
  version: number,
  response: InputOf<A["response"]>,
): Buffer {
  const writer = new Writer();
  writeResponse(api, version, writer, response);
  return writer.whole();
}
