import type { KafkaErrorName } from "@minikafka/protocol/kafka";

/** Why records that a client sent cannot become a frame. The only thing that the translation throws. */
export class BatchRefused extends Error {
  override readonly name = "BatchRefused";
  /** What Kafka answers to the same bytes. */
  readonly errorName: KafkaErrorName;

  constructor(errorName: KafkaErrorName, message: string) {
    super(message);
    this.errorName = errorName;
  }
}
