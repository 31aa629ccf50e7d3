/**
 * What Kafka's brokers call the settings of topics, where one of theirs holds for each topic that says nothing: its
 * ServerTopicConfigSynonyms. There are none of the kind here, and who writes one means the topic's.
 */
export const TOPIC_DEFAULT_NAMES: { readonly [brokerName: string]: string } = {
  "log.cleanup.policy": "cleanup.policy",
  "log.retention.ms": "retention.ms",
  "log.retention.minutes": "retention.ms",
  "log.retention.hours": "retention.ms",
  "log.retention.bytes": "retention.bytes",
  "log.segment.bytes": "segment.bytes",
  "log.roll.ms": "segment.ms",
  "log.roll.hours": "segment.ms",
  "log.cleaner.delete.retention.ms": "delete.retention.ms",
  "log.cleaner.min.cleanable.ratio": "min.cleanable.dirty.ratio",
  "log.cleaner.min.compaction.lag.ms": "min.compaction.lag.ms",
  "log.cleaner.max.compaction.lag.ms": "max.compaction.lag.ms",
  "message.max.bytes": "max.message.bytes",
  "log.message.timestamp.type": "message.timestamp.type",
};
