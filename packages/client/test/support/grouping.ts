import { connect } from "../../src/client.ts";
import { ManualClock } from "../../src/clock.ts";
import type { Consumer } from "../../src/consumer/consumer.ts";
import type { ConsumerOptions } from "../../src/consumer/consumer-options.ts";
import { MemoryBroker } from "./memory-broker.ts";
import { quiet } from "./scripted-peer.ts";

/** Consumers of one group, each with a client of its own, on one stepped clock, and the broker that they talk to. */
export async function grouping(topics: { readonly [topic: string]: number } = { orders: 4 }) {
  const broker = new MemoryBroker(topics);
  broker.holdsFetches = true;
  const clock = new ManualClock();
  const clients: { close(): Promise<void> }[] = [];
  const member = async (memberId: string, options: ConsumerOptions = {}): Promise<Consumer> => {
    const client = await connect({ link: broker.peer.link }, { clock });
    clients.push(client);
    return client.consumer({ groupId: "g", memberId, autoOffsetReset: "earliest", ...options });
  };
  /** One whose heartbeats and commits go by themselves, by this clock. */
  const automatic = (memberId: string, options: ConsumerOptions = {}) =>
    member(memberId, { autoHeartbeat: true, autoCommit: true, ...options });
  /** Lets time pass in steps that are shorter than any interval, and what is due happen. */
  const pass = async (ms: number) => {
    await quiet();
    for (let left = ms; left > 0; left -= 500) {
      clock.advance(Math.min(500, left));
      await quiet();
    }
  };
  const close = async () => {
    for (const client of clients) await client.close();
  };
  return { broker, groups: broker.groups, peer: broker.peer, clock, member, automatic, pass, close };
}

/** The partitions of the one topic that a consumer reads, in order. */
export const numbers = (consumer: Consumer) =>
  consumer.assignment.map(({ partition }) => partition).sort((one, other) => one - other);
