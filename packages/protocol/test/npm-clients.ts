/** What the npm clients of Kafka know of its messages, by their own code: which APIs and versions, and how they read and write them. */
import { createRequire } from "node:module";
import * as platformatic from "@platformatic/kafka";
import type { Api } from "../src/kafka/index.ts";

/** Reads the body of a response. */
export type ReadBody = (body: Buffer) => Promise<unknown>;

export interface KnownResponse {
  readonly client: string;
  readonly version: number;
  readonly read: ReadBody;
}

interface KafkaJsResponse {
  readonly decode: (body: Buffer) => Promise<unknown>;
}

interface KafkaJsModules {
  readonly request: (...content: unknown[]) => { encode(): Promise<{ readonly buffer: Buffer }> };
  readonly response: KafkaJsResponse | ((request: { readonly topics: [] }) => KafkaJsResponse);
}

const load = createRequire(import.meta.url);

/** kafkajs keeps each version in a folder of its own; it has no door to them, and no types. */
function kafkaJsModules(api: Api, version: number): KafkaJsModules | null {
  const name = `${api.name.charAt(0).toLowerCase()}${api.name.slice(1)}`;
  const folder = `kafkajs/src/protocol/requests/${name}/v${version}`;
  try {
    return { request: load(`${folder}/request`), response: load(`${folder}/response`) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}

interface PlatformaticModule {
  readonly api: { readonly key: number; readonly version: number };
  readonly createRequest: (...content: unknown[]) => { readonly buffer: Buffer };
  readonly parseResponse: (id: number, key: number, version: number, reader: platformatic.Reader) => unknown;
}

function platformaticModule(api: Api, version: number): PlatformaticModule | null {
  const all = Object.values(platformatic) as Partial<PlatformaticModule>[];
  const found = all.find((each) => each?.api?.key === api.key && each.api.version === version);
  return (found as PlatformaticModule | undefined) ?? null;
}

/** To kafkajs the tagged fields at the end of a flexible header, of which there are none, are the first byte of the body. */
const NO_TAGS = Buffer.from([0]);

function isFlexible({ flexibleFrom }: Api, version: number): boolean {
  return flexibleFrom !== null && version >= flexibleFrom;
}

function decoderOf({ response }: KafkaJsModules, hasTags: boolean): ReadBody {
  const { decode } = typeof response === "function" ? response({ topics: [] }) : response;
  return hasTags ? (body) => decode(Buffer.concat([NO_TAGS, body])) : decode;
}

/** Who reads the responses of this version of an API. */
export function readersOf(api: Api, version: number): KnownResponse[] {
  const kafkaJs = kafkaJsModules(api, version);
  const other = platformaticModule(api, version);
  return [
    ...(kafkaJs === null
      ? []
      : [{ client: "kafkajs", version, read: decoderOf(kafkaJs, isFlexible(api, version)) }]),
    ...(other === null
      ? []
      : [{ client: "@platformatic/kafka", version, read: async (body: Buffer) => parse(other, body) }]),
  ];
}

function parse({ api, parseResponse }: PlatformaticModule, body: Buffer): unknown {
  const reader = platformatic.Reader.from(body);
  const response = parseResponse(0, api.key, api.version, reader);
  // It does not look at the tagged fields at the end, of which there are none: one byte.
  if (reader.remaining > 1) throw new Error(`${reader.remaining} bytes were not read`);
  return response;
}

/** The bodies that the clients write for what `content` says, in the words of each. */
export async function kafkaJsBody(api: Api, version: number, content: readonly unknown[]): Promise<Buffer> {
  const modules = kafkaJsModules(api, version);
  if (modules === null) throw new Error(`kafkajs knows no ${api.name} ${version}`);
  const body = (await modules.request(...content).encode()).buffer;
  if (!isFlexible(api, version)) return body;
  if (body[0] !== NO_TAGS[0]) throw new Error("kafkajs has written tagged fields, or no place for them");
  return body.subarray(NO_TAGS.length);
}

export function platformaticBody(api: Api, version: number, content: readonly unknown[]): Buffer {
  const known = platformaticModule(api, version);
  if (known === null) throw new Error(`@platformatic/kafka knows no ${api.name} ${version}`);
  return Buffer.from(known.createRequest(...content).buffer);
}
