/** Who lags for too long does not stay in sync (Kafka: replica.lag.time.max.ms). */
import type { Judge } from "../checker.ts";
import { leaderOf, lookWords, type PartitionLook } from "./partition-look.ts";

interface EndSeen {
  readonly atMs: number;
  readonly logEndOffset: number;
}

/** What was seen of one leader, since nothing has begun its followers' time anew. */
interface Leadership {
  /** In one life, in one epoch. */
  readonly name: string;
  readonly sinceMs: number;
  /** The leader's end whenever it was another one; the first one as it began. */
  readonly ends: EndSeen[];
}

export class LagLeaves {
  readonly name = "lag-leaves";
  readonly promise =
    "whoever is still in sync after a look at who lags holds all that its leader had replica_lag_time_ms before";
  readonly #leaderships = new Map<string, Leadership>();

  /** A broker came or went: what its leader knows of followers may begin anew. */
  begunAnew(): void {
    this.#leaderships.clear();
  }

  /** To be told whenever something has changed in the partition. */
  noted(look: PartitionLook): Leadership | null {
    const { place, life, leaderId, leaderEpoch, monotonicMs } = look;
    const leader = leaderOf(look);
    if (leader === null || leader.isBeingCut) {
      this.#leaderships.delete(place);
      return null;
    }
    const name = `${life} ${leaderId} ${leaderEpoch}`;
    let known = this.#leaderships.get(place);
    if (known?.name !== name) {
      known = { name, sinceMs: monotonicMs, ends: [] };
      this.#leaderships.set(place, known);
    }
    const { logEndOffset } = leader;
    if (known.ends.at(-1)?.logEndOffset !== logEndOffset)
      known.ends.push({ atMs: monotonicMs, logEndOffset });
    return known;
  }

  /** To be told in the instant in which it was judged who lags. */
  refreshed(look: PartitionLook, judge: Judge): void {
    const known = this.noted(look);
    const beforeMs = look.monotonicMs - look.replicaLagTimeMs;
    if (known === null || known.sinceMs >= beforeMs) return;
    const { logEndOffset: owed } = known.ends.findLast(({ atMs }) => atMs < beforeMs) ?? { logEndOffset: 0 };
    for (const { brokerId, logEndOffset, isBeingCut } of look.replicas) {
      if (brokerId === look.leaderId || isBeingCut || !look.inSyncReplicas.includes(brokerId)) continue;
      judge.asked();
      if (logEndOffset < owed)
        judge.violated(
          `broker ${brokerId} is in sync in ${look.place} with ${logEndOffset}; its leader had ${owed} more than ${look.replicaLagTimeMs} ms before`,
          [lookWords(look)],
        );
    }
  }
}
