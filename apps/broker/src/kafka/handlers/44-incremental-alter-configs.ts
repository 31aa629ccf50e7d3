/**
 * IncrementalAlterConfigs: single settings of topics; the others stay.
 *
 * Behaviour: SET and DELETE change a setting; APPEND and SUBTRACT change the one list that there is, cleanup.policy, and are
 * INVALID_CONFIG for what is no list, as in Kafka. Each topic changes wholly or not at all. With validateOnly nothing changes.
 * Not modelled: settings of brokers (INVALID_REQUEST), which are the daemon's flags.
 */
import { BrokerError, type ConfigEntry } from "@minikafka/core";
import { CONFIG_OPERATION, type RequestOf } from "@minikafka/protocol/kafka";
import { alterResources, refusedResources } from "../configs/alteration.ts";
import { changesOf, type NamedConfig } from "../configs/topic-configs.ts";
import { KafkaRefusal } from "../error-numbers.ts";
import type { KafkaHandler } from "../handler.ts";

type Asked = RequestOf<"IncrementalAlterConfigs">["resources"][number]["configs"][number];

const LIST = "cleanup.policy";

export const incrementalAlterConfigs: KafkaHandler<"IncrementalAlterConfigs"> = {
  serve({ resources, validateOnly }, context, call) {
    const { cluster } = context;
    const responses = alterResources(
      resources,
      ({ resourceName, configs }) => {
        const entries = cluster.describeConfig(resourceName);
        return changesOf(configs.map((each) => namedConfig(each, entries)));
      },
      context,
      { validateOnly, call },
    );
    return { responses };
  },
  refusal: ({ resources }, errorCode) => ({ responses: refusedResources(resources, errorCode) }),
};

function namedConfig({ name, configOperation, value }: Asked, entries: readonly ConfigEntry[]): NamedConfig {
  if (configOperation === CONFIG_OPERATION.delete) return { name, value: null };
  if (value === null)
    throw new KafkaRefusal("INVALID_REQUEST", `${name} has no value; expected one, or to delete it`);
  if (configOperation === CONFIG_OPERATION.set) return { name, value };
  if (configOperation !== CONFIG_OPERATION.append && configOperation !== CONFIG_OPERATION.subtract)
    throw new KafkaRefusal(
      "INVALID_REQUEST",
      `the operation on ${name} is ${configOperation}; expected 0 to 3`,
    );
  if (name !== LIST)
    throw new BrokerError("INVALID_CONFIG", `${name} is no list, which alone can be appended to`);
  const present = String(entries.find(({ kafkaName }) => kafkaName === name)?.value ?? "").split(",");
  const given = value.split(",").map((word) => word.trim());
  const others = present.filter((word) => !given.includes(word));
  const words = configOperation === CONFIG_OPERATION.append ? [...others, ...given] : others;
  return { name, value: words.join(",") };
}
