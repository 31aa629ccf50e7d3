/** What a frame of Kafka's asks, and how that ended, as those who watch requests are told. */
import { type ApiName, KAFKA_ERRORS, kafkaErrorName } from "@minikafka/protocol/kafka";
import { kafkaPoint } from "../faults/kafka-points.ts";
import type { ScopedRequest } from "../faults/request-points.ts";
import type { Asked, Outcome } from "../request-event.ts";
import type { KafkaCall } from "./handler.ts";
import type { KafkaPeer } from "./peer.ts";

interface ReadFrame {
  readonly correlationId: number;
  readonly call: Pick<KafkaCall, "api" | "brokerId">;
}

/** The place is told where it is one. */
export function askedOf({ correlationId, call }: ReadFrame, { places }: ScopedRequest): Asked {
  const [place] = places.length === 1 ? places : [];
  return {
    operation: kafkaPoint(call.api),
    id: correlationId,
    brokerId: call.brokerId,
    ...(typeof place?.topic === "string" ? { topic: place.topic } : {}),
    ...(typeof place?.partition === "number" ? { partition: place.partition } : {}),
  };
}

export function topicsOf({ places }: ScopedRequest): ReadonlySet<string> {
  return new Set(places.map(({ topic }) => topic).filter((topic) => typeof topic === "string"));
}

/** Of a frame that is not read any further. */
export function unread(
  { brokerId }: KafkaPeer,
  correlationId: number | null = null,
  api: ApiName | null = null,
): { readonly asked: Asked; readonly topics: ReadonlySet<string> } {
  const operation = api === null ? null : kafkaPoint(api);
  return { asked: { operation, id: correlationId, brokerId }, topics: new Set() };
}

/** What stands with single topics, partitions or groups in an answer is not told. */
export function outcomeOf(response: object | null): Outcome {
  const { errorCode }: { readonly errorCode?: unknown } = response ?? {};
  return typeof errorCode === "number" && errorCode !== KAFKA_ERRORS.NONE ? errorName(errorCode) : "ok";
}

/** As Kafka calls it. */
export function errorName(errorCode: number): string {
  return kafkaErrorName(errorCode) ?? String(errorCode);
}
