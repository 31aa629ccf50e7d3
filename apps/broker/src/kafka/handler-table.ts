/**
 * Which handler serves which of Kafka's APIs: one line each, in the order of the keys. What has none here is not named by ApiVersions,
 * and not served.
 */
import { type AnyApi, API_TABLE, type ApiName } from "@minikafka/protocol/kafka";
import type { KafkaHandler } from "./handler.ts";
import { metadata } from "./handlers/03-metadata.ts";
import { apiVersionsOf } from "./handlers/18-api-versions.ts";

type HandlerTable = { readonly [Name in ApiName]?: KafkaHandler<Name> };

const HANDLERS: HandlerTable = {
  Metadata: metadata,
  ApiVersions: apiVersionsOf(() => servedApis()),
};

/** By key. */
export function servedApis(): AnyApi[] {
  return Object.values(API_TABLE).filter(({ name }) => handlerOf(name) !== null);
}

export function handlerOf<Name extends ApiName>(name: Name): KafkaHandler<Name> | null {
  return (HANDLERS as { readonly [Each in Name]?: KafkaHandler<Each> })[name] ?? null;
}
