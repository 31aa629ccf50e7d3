import { connect } from "../../src/client.ts";
import type { ClientOptions } from "../../src/client-options.ts";
import { ManualClock } from "../../src/clock.ts";
import type { ProducerOptions } from "../../src/producer/producer-options.ts";
import { MemoryBroker } from "./memory-broker.ts";

/** A producer on a stepped clock, and the broker that it talks to. */
export async function producing(
  options: ProducerOptions = {},
  topics: { readonly [topic: string]: number } = { orders: 2 },
  clientOptions: ClientOptions = {},
) {
  const broker = new MemoryBroker(topics);
  const clock = new ManualClock(1_000);
  const client = await connect({ link: broker.peer.link }, { clock, ...clientOptions });
  const producer = client.producer(options);
  return { broker, peer: broker.peer, clock, client, producer };
}
