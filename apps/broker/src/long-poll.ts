/**
 * Waiting until there is enough to read.
 *
 * A look is an answer in full, and dear; while one waits, only the bytes that came since are counted, each once. So many
 * small appends under one patient fetch cost what they weigh, and not the square of it.
 */
import { type BrokerCluster, BrokerError, type Isolation, type TopicPartition } from "@minikafka/core";
import type { Parking, Wait, WaitHolder } from "./parking.ts";

/** How much is waited for, and for how long. */
export interface Patience {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  readonly isolation: Isolation;
}

/** Where the waits are kept. */
export interface WaitingRoom {
  readonly cluster: BrokerCluster;
  readonly parking: Parking;
}

export interface FetchPlace extends TopicPartition {
  readonly offset: number;
}

/** What one look found. */
export interface Look<Fields> {
  readonly fields: Fields;
  readonly bytes: number;
}

/**
 * The first look when it finds `minBytes`; else one more when so much is there, when `maxWaitMs` are over, the peer is
 * gone or the broker stops, or when another leads one of the places, or nobody (Kafka: DelayedFetch, cases A to C). More than `maxBytes` can never be found, so no more is waited for (as in Kafka).
 */
export function readWhenEnough<Fields>(
  patience: Patience,
  places: readonly FetchPlace[],
  room: WaitingRoom,
  holder: WaitHolder,
  look: () => Look<Fields>,
): Fields | Promise<Fields> {
  const enoughBytes = Math.min(patience.minBytes, patience.maxBytes);
  const first = look();
  if (first.bytes >= enoughBytes || patience.maxWaitMs <= 0) return first.fields;
  const wait = room.parking.park(places, patience.maxWaitMs, holder);
  const supply = new Supply(room.cluster, places, patience.isolation);
  return lookWhenEnough(wait, supply, enoughBytes, look);
}

async function lookWhenEnough<Fields>(
  wait: Wait,
  supply: Supply,
  enoughBytes: number,
  look: () => Look<Fields>,
): Promise<Fields> {
  try {
    // At first too: a batch that did not fit into the first look is there, and nothing will come to announce it.
    while (!wait.isOver && !supply.reaches(enoughBytes)) await wait.next();
    return look().fields;
  } finally {
    wait.end();
  }
}

interface Counted extends TopicPartition {
  /** Of the leadership in which the wait began. */
  readonly leaderId: number | null;
  readonly leaderEpoch: number;
  countedTo: number;
}

/** How much there is to read at the places of a fetch. Counts on from where it stopped. */
class Supply {
  readonly #cluster: BrokerCluster;
  readonly #isolation: Isolation;
  readonly #places: readonly Counted[];
  #bytes = 0;

  constructor(cluster: BrokerCluster, places: readonly FetchPlace[], isolation: Isolation) {
    this.#cluster = cluster;
    this.#isolation = isolation;
    this.#places = places.map(({ topic, partition, offset }) => {
      const { leaderId, leaderEpoch } = cluster.replicaSet({ topic, partition });
      return { topic, partition, leaderId, leaderEpoch, countedTo: offset };
    });
  }

  /** Whether there are `bytes`, or an error or another leader to tell of, for which nobody should wait. */
  reaches(bytes: number): boolean {
    try {
      if (this.#places.some((place) => this.#isLedOtherwise(place))) return true;
      for (const place of this.#places) this.#count(place, bytes);
    } catch (error) {
      if (error instanceof BrokerError) return true;
      throw error;
    }
    return this.#bytes >= bytes;
  }

  #isLedOtherwise(place: Counted): boolean {
    const { leaderId, leaderEpoch } = this.#cluster.replicaSet(place);
    return leaderId !== place.leaderId || leaderEpoch !== place.leaderEpoch;
  }

  #count(place: Counted, enoughBytes: number): void {
    const visibleEnd = this.#cluster.visibleEnd(place, this.#isolation);
    while (this.#bytes < enoughBytes && place.countedTo < visibleEnd) {
      const bytesMax = enoughBytes - this.#bytes;
      const found = this.#cluster.fetch(place, place.countedTo, { bytesMax, isolation: this.#isolation });
      if (found.nextOffset === place.countedTo) return;
      this.#bytes += found.batches.length;
      place.countedTo = found.nextOffset;
    }
  }
}
