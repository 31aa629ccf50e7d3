import { withoutControls } from "@minikafka/protocol";
import type { KafkaErrorNumber } from "@minikafka/protocol/kafka";
import { type Asked, numberOf } from "./error-numbers.ts";

/** Of a message that holds what its client has sent, which may be as long as a string of Kafka's can be. */
const MESSAGE_CHARACTERS_MAX = 1_000;

/** What stands with the part of an answer that was refused, while its other parts were done. Throws on what is a fault of ours. */
export function partProblem(
  problem: unknown,
  asked: Asked,
): { readonly errorCode: KafkaErrorNumber; readonly errorMessage: string } {
  const errorCode = numberOf(problem, asked);
  return {
    errorCode,
    errorMessage: withoutControls((problem as Error).message.slice(0, MESSAGE_CHARACTERS_MAX)),
  };
}
