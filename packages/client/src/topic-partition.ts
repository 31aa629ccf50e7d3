/** The address of a log. With an offset it is the address of a record. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** For maps and messages; a topic's name holds no slash. */
export function topicPartitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
