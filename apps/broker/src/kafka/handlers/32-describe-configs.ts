/**
 * DescribeConfigs: every setting of topics and brokers, with its default and where it comes from.
 *
 * Behaviour: without keys, or with none of them, all settings are told, also those that say nothing of their own; with keys those of them
 * that there are. A broker tells its own: any other id is INVALID_REQUEST, as in Kafka, and no name asks for what was set for all while they ran, which is
 * nothing. Synonyms and documentation are told to who asks for them.
 * Versions: 1 has sources in the place of a flag for defaults, 3 types and documentation.
 * Not modelled: resources other than topics and brokers (INVALID_REQUEST); settings that change while a broker runs.
 */
import { RESOURCE_BROKER, RESOURCE_TOPIC, type RequestOf, type ResponseOf } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { brokerConfigs } from "../configs/broker-configs.ts";
import { areAll, type ConfigDescription, requireTopicName, topicConfigs } from "../configs/topic-configs.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall, KafkaHandler } from "../handler.ts";
import { partProblem } from "../part-problem.ts";

type Request = RequestOf<"DescribeConfigs">;
type Resource = Request["resources"][number];
type Result = ResponseOf<"DescribeConfigs">["results"][number];

export const describeConfigs: KafkaHandler<"DescribeConfigs"> = {
  serve: (request, context, call) => ({
    results: askedOf(request).map((resource) => resultOf(resource, request, context, call)),
  }),
  refusal: ({ resources }, errorCode) => ({
    results: resources.map(({ resourceType, resourceName }) => ({
      errorCode,
      resourceType,
      resourceName,
      configs: [],
    })),
  }),
};

/** Each of which all is to be told once; with keys an answer is hardly longer than its question. */
function askedOf({ resources }: Request): Resource[] {
  const byName = new Map<unknown, Resource>();
  for (const resource of resources) {
    const { resourceType, resourceName, configurationKeys: keys } = resource;
    byName.set(areAll(keys) ? `${resourceType} ${resourceName}` : resource, resource);
  }
  return [...byName.values()];
}

function resultOf(resource: Resource, request: Request, context: BrokerContext, call: KafkaCall): Result {
  const { resourceType, resourceName } = resource;
  try {
    const configs = configsOf(resource, context, call).map((config) => asAsked(config, request));
    return { errorCode: NONE, resourceType, resourceName, configs };
  } catch (problem) {
    return { ...partProblem(problem, call), resourceType, resourceName, configs: [] };
  }
}

function configsOf(resource: Resource, context: BrokerContext, { brokerId }: KafkaCall): ConfigDescription[] {
  const { resourceType, resourceName, configurationKeys: keys } = resource;
  if (resourceType === RESOURCE_TOPIC) {
    requireTopicName(resourceName);
    return topicConfigs(context.cluster.describeConfig(resourceName), keys);
  }
  if (resourceType !== RESOURCE_BROKER)
    throw new KafkaRefusal(
      "INVALID_REQUEST",
      `the resource type is ${resourceType}; expected a topic or a broker`,
    );
  // Of all brokers: what was changed while they ran.
  if (resourceName === "") return [];
  if (resourceName !== String(brokerId))
    throw new KafkaRefusal(
      "INVALID_REQUEST",
      `broker ${brokerId} was asked for the settings of "${resourceName}"`,
    );
  return brokerConfigs(brokerId, context, keys);
}

function asAsked(
  config: ConfigDescription,
  { includeSynonyms, includeDocumentation }: Request,
): ConfigDescription {
  return {
    ...config,
    synonyms: includeSynonyms ? (config.synonyms ?? []) : [],
    documentation: includeDocumentation ? (config.documentation ?? null) : null,
  };
}
