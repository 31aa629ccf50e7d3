import type { KafkaErrorNumber } from "@minikafka/protocol/kafka";
import { type Asked, numberOf } from "./error-numbers.ts";

/** What stands with the part of an answer that was refused, while its other parts were done. Throws on what is a fault of ours. */
export function partProblem(
  problem: unknown,
  asked: Asked,
): { readonly errorCode: KafkaErrorNumber; readonly errorMessage: string } {
  const errorCode = numberOf(problem, asked);
  return { errorCode, errorMessage: (problem as Error).message };
}
