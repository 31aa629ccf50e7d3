/** What AlterConfigs and IncrementalAlterConfigs have in common: one resource after the other, each all or none. */
import type { ConfigChanges } from "@minikafka/core";
import { type KafkaErrorNumber, RESOURCE_TOPIC } from "@minikafka/protocol/kafka";
import type { BrokerContext } from "../../broker-context.ts";
import { KafkaRefusal, NONE } from "../error-numbers.ts";
import type { KafkaCall } from "../handler.ts";
import { partProblem } from "../part-problem.ts";
import { namedTwice } from "../repeats.ts";
import { requireTopicName } from "./topic-configs.ts";

export interface AlteredResource {
  readonly resourceType: number;
  readonly resourceName: string;
}

export interface Alteration extends AlteredResource {
  readonly errorCode: KafkaErrorNumber;
  readonly errorMessage?: string;
}

/**
 * Gives each topic what `changesOf` says of it, or looks only whether it could. A resource that stands there twice is INVALID_REQUEST, as
 * are brokers: their settings are flags of the daemon.
 */
export function alterResources<Resource extends AlteredResource>(
  resources: readonly Resource[],
  changesOf: (resource: Resource) => ConfigChanges,
  { cluster }: BrokerContext,
  { validateOnly, call }: { readonly validateOnly: boolean; readonly call: KafkaCall },
): Alteration[] {
  const twice = namedTwice(resources.map(keyOf));
  return resources.map((resource) => {
    const { resourceType, resourceName } = resource;
    try {
      if (twice.has(keyOf(resource)))
        throw new KafkaRefusal("INVALID_REQUEST", "the resource is named more than once");
      if (resourceType !== RESOURCE_TOPIC)
        throw new KafkaRefusal(
          "INVALID_REQUEST",
          "only the settings of topics can be changed; a broker's are its flags",
        );
      if (resourceName === "") throw new KafkaRefusal("INVALID_REQUEST", "a topic without a name");
      requireTopicName(resourceName);
      // Of a topic that is not there nothing is judged.
      cluster.describeTopic(resourceName);
      const changes = changesOf(resource);
      if (validateOnly) cluster.checkConfig(resourceName, changes);
      else cluster.alterConfig(resourceName, changes);
      return { errorCode: NONE, resourceType, resourceName };
    } catch (problem) {
      return { ...partProblem(problem, call), resourceType, resourceName };
    }
  });
}

function keyOf({ resourceType, resourceName }: AlteredResource): string {
  return `${resourceType} ${resourceName}`;
}

export function refusedResources(
  resources: readonly AlteredResource[],
  errorCode: KafkaErrorNumber,
): Alteration[] {
  return resources.map(({ resourceType, resourceName }) => ({ errorCode, resourceType, resourceName }));
}
