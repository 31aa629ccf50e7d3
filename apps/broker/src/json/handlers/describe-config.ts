/** describe_config: every setting of a topic. Refuses: UNKNOWN_TOPIC. */
import type { Handler } from "../handler.ts";

export const describeConfig: Handler<"describe_config"> = ({ topic }, { cluster }) => ({
  topic,
  config: cluster.describeConfig(topic).map((entry) => ({
    name: entry.name,
    value: entry.value,
    source: entry.source,
    default_value: entry.defaultValue,
    kafka_name: entry.kafkaName,
    meaning: entry.meaning,
  })),
});
