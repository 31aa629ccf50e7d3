/** The smallest thing that has an order: one partition of one topic. An offset is an address only together with it. */
export interface TopicPartition {
  readonly topic: string;
  /** From 0. */
  readonly partition: number;
}

/** `orders-1`: how messages call it, and the name of its folder. The last "-" is the border, since a number holds none. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
