import { connect } from "../../src/client.ts";
import { ManualClock } from "../../src/clock.ts";
import type { ConsumerOptions } from "../../src/consumer/consumer-options.ts";
import type { ConsumerRecord } from "../../src/consumer/consumer-record.ts";
import { MemoryBroker } from "./memory-broker.ts";

/** A consumer on a stepped clock, beginning at the earliest record, and the broker that it talks to. */
export async function consuming(
  options: ConsumerOptions = {},
  topics: { readonly [topic: string]: number } = { orders: 2 },
) {
  const broker = new MemoryBroker(topics);
  const clock = new ManualClock();
  const client = await connect({ link: broker.peer.link }, { clock });
  const consumer = client.consumer({ autoOffsetReset: "earliest", ...options });
  return { broker, peer: broker.peer, clock, client, consumer };
}

export const P0 = { topic: "orders", partition: 0 };
export const P1 = { topic: "orders", partition: 1 };

export const texts = (records: readonly ConsumerRecord[]) =>
  records.map(({ value }) => value?.toString() ?? null);

export const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${from + index}`);
