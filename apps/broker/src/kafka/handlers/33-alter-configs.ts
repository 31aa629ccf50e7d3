/**
 * AlterConfigs: the settings of topics, each time all of them.
 *
 * Behaviour: what a topic has set and the request does not name goes back to its default; no value (null) is INVALID_REQUEST, as in
 * Kafka. Each topic changes wholly or not at all, and what is amiss with one stands with it. With validateOnly nothing changes.
 * Not modelled: settings of brokers (INVALID_REQUEST), which are the daemon's flags.
 */
import { alterResources, refusedResources } from "../configs/alteration.ts";
import { changesOf } from "../configs/topic-configs.ts";
import { KafkaRefusal } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

export const alterConfigs: KafkaHandler<"AlterConfigs"> = {
  serve({ resources, validateOnly }, context, call) {
    const { cluster } = context;
    const responses = alterResources(
      resources,
      ({ resourceName, configs }) => {
        const empty = configs.find(({ value }) => value === null);
        if (empty !== undefined)
          throw new KafkaRefusal(
            "INVALID_REQUEST",
            `${empty.name} has no value; leave it out for its default`,
          );
        const own = Object.keys(cluster.describeTopic(resourceName).config);
        return { ...Object.fromEntries(own.map((key) => [key, null])), ...changesOf(configs) };
      },
      context,
      { validateOnly, call },
    );
    return { responses };
  },
  refusal: ({ resources }, errorCode) => ({ responses: refusedResources(resources, errorCode) }),
};
