/** What is done in the moment in which something else happens, at the place where it does; and what comes late. */
import type { BrokerCluster, TopicPartition, TraceEvent } from "@minikafka/core";
import type { Chance } from "../chance.ts";
import type { ActOf } from "../script/entry.ts";
import { startBroker } from "./broker-acts.ts";
import { promoteTo } from "./leader-acts.ts";
import { leadAgain, operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

export function upon(world: RunWorld, act: ActOf<"upon">, luck: Chance): void {
  const { occasions, process, timeline, meanwhile } = world;
  occasions.await(act.occasion, act.nth, (event) => {
    const { life } = process;
    if (act.what === "crash" && act.afterMs === 0) {
      meanwhile.reach("the process died in the moment of something else");
      process.dieNow(act.fate, act.downMs);
      return;
    }
    const { disk } = process;
    if (act.holdsDisk) disk.holdSyncs();
    timeline.plan(act.afterMs, () => {
      // A leader is changed while the disk stands still, too.
      if (act.holdsDisk) timeline.plan(1, () => disk.releaseSyncs());
      if (life !== process.life || process.isDying || occasions.isOver) return;
      if (act.what === "crash") process.kill(act.fate, luck, act.downMs);
      else {
        const place = placeOf(world, event);
        if (place !== null) changeLeader(world, act, place, luck);
      }
    });
  });
}

/** Where it happens; what happens to a transaction, in one of its partitions. */
export function placeOf({ meanwhile }: RunWorld, event: TraceEvent): TopicPartition | null {
  if ("topic" in event && "partition" in event) return event;
  return "transactionalId" in event ? (meanwhile.lastPlaces.get(event.transactionalId) ?? null) : null;
}

/** Another one leads: because an operator says so, or because the broker of the one before stops for a while. */
function changeLeader(world: RunWorld, act: ActOf<"upon">, place: TopicPartition, luck: Chance): void {
  operate(world, async (cluster) => {
    if (!cluster.hasTopic(place.topic)) return;
    const { leaderId } = cluster.describePartition(place);
    if (act.what === "stop_leader" && leaderId !== null) {
      await cluster.stopBroker(leaderId);
      world.timeline.plan(act.downMs, () => startBroker(world, leaderId));
      leadAgain(world);
      return;
    }
    const brokerId = otherThan(leaderId, cluster, place, { act, luck });
    if (brokerId !== null) await promoteTo(world, cluster, place, { brokerId, unclean: act.unclean });
  });
}

function otherThan(
  leaderId: number | null,
  cluster: BrokerCluster,
  place: TopicPartition,
  { act, luck }: { act: ActOf<"upon">; luck: Chance },
): number | null {
  const candidates = cluster
    .describePartition(place)
    .replicas.filter(
      ({ brokerId, isOnline, isInSync }) => brokerId !== leaderId && isOnline && (isInSync || act.unclean),
    );
  return candidates.length === 0 ? null : luck.oneOf(candidates).brokerId;
}

/**
 * As of a coordinator that does not know that it is none any more: it writes a marker that was written long ago. Wherever one is
 * written, what is older than its transaction has been decided before.
 */
export function lateMarker(world: RunWorld, { strays }: ActOf<"late_marker">, luck: Chance): void {
  const written = world.meanwhile.markers.filter(({ topic }) => world.topics.has(topic));
  if (written.length === 0) return;
  const one = luck.oneOf(written);
  const newest = written.findLast(({ producerId }) => producerId === one.producerId);
  const marker = (strays ? newest : undefined) ?? one;
  const { producerId, producerEpoch, control } = marker;
  const { topic, partition } = one;
  const end = { producerId, producerEpoch, coordinatorEpoch: marker.coordinatorEpoch - 1, control };
  operate(world, async (cluster) => {
    const { acknowledged, offset } = cluster.replicaSet({ topic, partition }).appendMarker(end);
    if (offset === null) world.meanwhile.reach("a marker came late, and changed nothing");
    await acknowledged;
  });
}
