/** Reading again and again until there is enough, or until it has taken too long. */
import type { TopicPartition } from "@minikafka/core";
import type { ParsedRequest } from "@minikafka/protocol";
import type { Wait, WaitHolder } from "../parking.ts";
import type { BrokerContext } from "./handler.ts";

type Patience = Pick<ParsedRequest<"fetch">, "min_bytes" | "max_wait_ms" | "max_bytes">;

/** What one look found. */
export interface Look<Fields> {
  readonly fields: Fields;
  readonly bytes: number;
}

/**
 * The first look that finds `min_bytes`, or the last one when `max_wait_ms` are over, the peer is gone or the broker stops.
 * More than `max_bytes` can never be found, so no more is waited for (as in Kafka).
 */
export function readWhenEnough<Fields>(
  request: Patience,
  places: readonly TopicPartition[],
  context: BrokerContext,
  holder: WaitHolder,
  look: () => Look<Fields>,
): Fields | Promise<Fields> {
  const enoughBytes = Math.min(request.min_bytes, request.max_bytes);
  const first = look();
  if (first.bytes >= enoughBytes || request.max_wait_ms === 0) return first.fields;
  const wait = context.parking.park(places, request.max_wait_ms, holder);
  return lookAgain(wait, enoughBytes, look);
}

async function lookAgain<Fields>(wait: Wait, enoughBytes: number, look: () => Look<Fields>): Promise<Fields> {
  try {
    for (;;) {
      await wait.next();
      const { fields, bytes } = look();
      if (bytes >= enoughBytes || wait.isOver) return fields;
    }
  } finally {
    wait.end();
  }
}
