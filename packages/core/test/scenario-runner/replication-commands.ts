/** Replication by hand: rounds, judgements, who leads, who is in sync, who runs. */
import { isFaultPoint } from "../../src/env/fault-point.ts";
import { type Given, placeOf } from "./command-line.ts";
import type { Command } from "./stage.ts";
import { table } from "./tables.ts";

export const REPLICATION_COMMANDS: Readonly<Record<string, Command>> = {
  "step replicate [topic] [-p --partition N] [--replica ID]": async ({ stage, given, print }) => {
    const copied = await stage.cluster.replicateOnce(filterOf(given));
    if (copied.length === 0) print("% nothing to copy");
    print(
      ...table(
        "TOPIC PARTITION REPLICA BATCHES CUT-TO",
        copied
          .filter(({ topic }) => !topic.startsWith("__") || topic === given.text("topic"))
          .map((round) => [round.topic, round.partition, round.brokerId, round.batches, round.truncatedTo]),
      ),
    );
  },
  "step isr [topic] [-p --partition N]": ({ stage, given, print }) => {
    const changed = stage.cluster.refreshIsr(filterOf(given));
    if (changed.length === 0) print("% nobody left or joined");
    print(
      ...table(
        "TOPIC PARTITION FROM TO",
        changed.map(({ topic, partition, from, to }) => [topic, partition, from.join(), to.join()]),
      ),
    );
  },
  "promote <topic> <broker> [-p --partition N] [--unclean]": async ({ stage, given, print }) => {
    const place = placeOf(given);
    const unclean = given.has("unclean");
    const state = await stage.cluster.promote(place, given.number("broker") ?? 0, { unclean });
    const { leaderId, leaderEpoch, inSyncReplicas } = state;
    print(
      `${place.topic} [${place.partition}]: leader ${leaderId}, epoch ${leaderEpoch}, in sync ${inSyncReplicas.join()}`,
    );
  },
  "rejoin <topic> <broker> [-p --partition N]": async ({ stage, given, print }) => {
    const place = placeOf(given);
    const rejoined = await stage.cluster.rejoin(place, given.number("broker") ?? 0);
    const { brokerId, batches, truncatedTo, inSyncReplicas } = rejoined;
    const cut = truncatedTo === null ? "" : `, cut to ${truncatedTo}`;
    const state = inSyncReplicas.includes(brokerId) ? "in sync" : "not in sync yet";
    print(
      `${place.topic} [${place.partition}]: replica ${brokerId} ${state}${cut}, batches copied ${batches}`,
    );
  },
  "remove-from-isr <topic> <broker> [-p --partition N]": ({ stage, given, print }) => {
    const place = placeOf(given);
    const { inSyncReplicas } = stage.cluster.removeFromIsr(place, given.number("broker") ?? 0);
    print(`${place.topic} [${place.partition}]: in sync ${inSyncReplicas.join()}`);
  },
  "broker stop <broker>": async ({ stage, given, print }) => {
    const { brokerId, clean } = await stage.cluster.stopBroker(given.number("broker") ?? 0);
    print(`stopped broker ${brokerId} ${clean ? "cleanly" : "uncleanly"}`);
  },
  "broker start <broker>": async ({ stage, given, print }) => {
    const { brokerId, clean } = await stage.cluster.startBroker(given.number("broker") ?? 0);
    print(`started broker ${brokerId}, which had ended ${clean ? "cleanly" : "uncleanly"}`);
  },
  "fault arm <point> <action> [--broker-id N]": ({ stage, given, print }) => {
    const [point, action] = [given.required("point"), given.required("action")];
    if (!isFaultPoint(point) || action !== "error") throw new Error("no fault that a scenario arms");
    const brokerId = given.number("broker-id");
    stage.cluster.env.faults.arm({
      point,
      action,
      ...(brokerId === undefined ? {} : { site: { brokerId } }),
    });
    print(`armed ${action} at ${point}`);
  },
  "replicas <topic> [-p --partition N]": ({ stage, given, print }) => {
    const { leaderId, leaderEpoch, replicas } = stage.cluster.describePartition(placeOf(given));
    print(
      ...table(
        "REPLICA ROLE EPOCH LOG-END HIGH-WATERMARK IN-SYNC",
        replicas.map((replica) => [
          replica.brokerId,
          replica.isOnline ? (replica.brokerId === leaderId ? "leader" : "follower") : "stopped",
          leaderEpoch,
          replica.logEndOffset,
          replica.highWatermark,
          replica.isInSync ? "yes" : replica.isHeldOut ? "held-out" : "no",
        ]),
      ),
    );
  },
};

function filterOf(given: Given) {
  const [topic, partition, brokerId] = [
    given.text("topic"),
    given.number("partition"),
    given.number("replica"),
  ];
  return {
    ...(topic === undefined ? {} : { topic }),
    ...(partition === undefined ? {} : { partition }),
    ...(brokerId === undefined ? {} : { brokerId }),
  };
}
