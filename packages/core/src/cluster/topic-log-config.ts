/** From a topic's settings, and the cluster's where the topic says nothing, to what its logs go by. */
import { LOG_CONFIG_DEFAULTS, type LogConfig } from "../log/log-config.ts";
import type { ResolvedConfig } from "./config.ts";
import type { TopicConfig } from "./topic-config.ts";

export function logConfigOf(topic: TopicConfig, cluster: ResolvedConfig): LogConfig {
  return { ...LOG_CONFIG_DEFAULTS, segmentBytes: topic.segment_bytes ?? cluster.segmentBytes };
}
