/** The time after the faults: what an operator and the cluster itself do until everything has come together, and how far that is. */
import type { BrokerCluster } from "@minikafka/core";
import { Consumer } from "../clients/consumer.ts";
import { Copier } from "../clients/copier.ts";
import { Reader } from "../clients/reader.ts";
import { placeName } from "../world/topics.ts";
import { Mending } from "./mending.ts";
import { operate } from "./operator.ts";
import type { RunWorld } from "./world.ts";

const ROUNDS_MAX = 600;
const ROUND_MS = 5;
/** Longer than a message takes. */
const REST_ROUNDS = 12;

export async function converge(world: RunWorld, pass: () => Promise<void>): Promise<void> {
  const { process, network, recorder, witness, occasions } = world;
  recorder.happened({ kind: "faults_ended" });
  network.lossPermille = 0;
  network.delayMsMax = Math.min(network.delayMsMax, 1);
  occasions.end();
  const calm = () => {
    process.faults.disarm();
    process.disk.stopFailing();
    process.disk.releaseSyncs();
  };
  const mending = new Mending(world);
  const coordinators = new CoordinatorStates(world);
  let reason: string | null = null;
  // Where a disk has failed, nobody may know what a file of the cluster says: only a restart tells.
  if (witness.counts.has("broker_failed")) process.close(1);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    calm();
    if (round % 5 === 0) mending.round();
    tend(world);
    if (groupApart(world) !== null || isLate(world) || coordinators.waitForMembers()) {
      coordinators.forget();
      driveGroups(world);
    } else coordinators.ask();
    await roundOver(world, pass);
    if (witness.violation !== null) return;
    reason = apartBy(world) ?? coordinators.apart();
    if (reason === null) break;
  }
  if (reason !== null) witness.violates({ what: "not-converged", evidence: reason });
  else await readAll(world, pass);
  if (witness.violation === null) await restOf(world, pass);
}

/**
 * Whether something may yet take effect that its client has given up, on its way or in the broker: a join, of which nobody hears; or a
 * connection is stalled, where signs of life wait that no work waits for. Meanwhile members go on.
 */
function isLate({ timeline, network }: RunWorld): boolean {
  return (
    timeline.nowMs <= network.lateUntilMs || [...network.atWork].some(({ link }) => link.state === "left")
  );
}

/**
 * What is under way comes to its end, and what it leaves comes together again. Nobody's time is over here: clients are silent because
 * the run ends, and what were written of that in the last moment would be on its way to the followers when all is judged.
 */
async function restOf(world: RunWorld, pass: () => Promise<void>): Promise<void> {
  for (const client of world.clients.values()) client.isRetired = true;
  for (let round = 0; round < REST_ROUNDS; round++) {
    replicate(world);
    await roundOver(world, pass);
  }
}

async function roundOver({ timeline }: RunWorld, pass: () => Promise<void>): Promise<void> {
  let isOver = false;
  timeline.plan(ROUND_MS, () => {
    isOver = true;
  });
  while (!isOver) await pass();
}

/** Members do what they should: they read on, commit, and copy what has come. */
function driveGroups({ clients }: RunWorld): void {
  for (const client of clients.values()) {
    if (client instanceof Consumer) client.consume({ commits: true, next: "stay", bytesMax: 1 << 20 });
    if (client instanceof Copier) client.copy({ end: "commit", bytesMax: 1 << 20, pauseMs: 0 });
  }
}

/** Why a group is not where it should be; `null` when each partition is owned, and read to its end. */
function groupApart({ clients, process, topics }: RunWorld): string | null {
  const cluster = process.isUp ? process.cluster : null;
  const members = [...clients.values()].filter(
    (client) => client instanceof Consumer || client instanceof Copier,
  );
  for (const groupId of new Set(members.map(({ membership }) => membership.options.groupId))) {
    const ofGroup = members.filter(({ membership }) => membership.options.groupId === groupId);
    const read = new Set(ofGroup.flatMap(({ membership }) => membership.options.topics));
    for (const place of [...read].flatMap((topic) => topics.places(topic))) {
      const name = placeName(place);
      const owners = ofGroup.flatMap(({ membership }) => membership.owned.get(name) ?? []);
      if (owners.length !== 1) return `${name} has ${owners.length} owners in ${groupId}`;
      const end = cluster?.visibleEnd(place, "read_committed");
      if (owners[0]?.position !== end)
        return `${groupId} has read ${name} up to ${owners[0]?.position} of ${end}`;
    }
  }
  return null;
}

const NOT_SAID = "nobody has said how the groups are";

/** What the coordinators say of their groups and transactions. */
class CoordinatorStates {
  readonly #world: RunWorld;
  #unsettled: string | null = NOT_SAID;
  #open: string | null = "nobody has said how the transactions are";
  #waitsForMembers = false;

  constructor(world: RunWorld) {
    this.#world = world;
  }

  ask(): void {
    this.#open = "nobody has said how the transactions are";
    // Whoever is at work may begin one behind the answer.
    if ([...this.#world.clients.values()].some(({ isIdle }) => !isIdle)) return;
    operate(this.#world, (cluster) => cluster.transactions.list(), {
      done: ({ transactions }) => {
        const open = transactions.find(({ state }) => state === "ongoing" || state.startsWith("prepare"));
        this.#open =
          open === undefined ? null : `the transaction of ${open.transactionalId} is ${open.state}`;
      },
    });
    const { clients } = this.#world;
    const hasMembers = [...clients.values()].some(
      (each) => each instanceof Consumer || each instanceof Copier,
    );
    operate(this.#world, (cluster) => cluster.groups.list(), {
      done: ({ groups, unreadable }) => {
        const [unread] = unreadable;
        const group = groups.find(({ state }) => state !== "stable" && state !== "empty");
        // Without members it is enough that all coordinators have answered: who was a member may still count as one.
        if (!hasMembers) this.#unsettled = null;
        else if (unread !== undefined)
          this.#unsettled = `groups of ${unread.partition}: ${unread.error.message}`;
        else this.#unsettled = group === undefined ? null : `the group ${group.groupId} is ${group.state}`;
        this.#waitsForMembers = hasMembers && group !== undefined;
      },
    });
  }

  /** What was said of the groups is of before: a join that arrives late changes them behind it. */
  forget(): void {
    this.#unsettled = NOT_SAID;
  }

  /** Whether a group has members with something to do, as was said last. It is to be asked anew then. */
  waitForMembers(): boolean {
    const waits = this.#waitsForMembers;
    this.#waitsForMembers = false;
    return waits;
  }

  apart(): string | null {
    return this.#unsettled ?? this.#open;
  }
}

/** What a daemon does by itself. */
function tend(world: RunWorld): void {
  replicate(world);
  operate(world, (cluster) => cluster.transactions.expire());
  operate(world, (cluster) => cluster.groups.expireMembers());
}

function replicate(world: RunWorld): void {
  operate(world, (cluster) => cluster.replicateOnce());
  operate(world, (cluster) => cluster.refreshIsr());
}

/** Why the run is not over yet; `null` when it is. */
function apartBy(world: RunWorld): string | null {
  const { cluster, life } = world.process;
  if (cluster === null || !world.process.isUp) return "the cluster is not up";
  // Whoever subscribes to it gets its partitions only once it is there.
  if (world.topics.isUnderWay(life)) return "a topic is being made, or grows";
  const group = groupApart(world);
  if (group !== null) return group;
  if (isLate(world)) return "something is on its way that its client has given up, or is stalled";
  const busy = [...world.clients.values()].find(({ isIdle }) => !isIdle);
  if (busy !== undefined) return `${busy.name} still waits`;
  for (const { topic, partitions } of cluster.listTopics())
    for (let partition = 0; partition < partitions; partition++) {
      const reason = apartAt(cluster, topic, partition);
      if (reason !== null) return reason;
    }
  return null;
}

function apartAt(cluster: BrokerCluster, topic: string, partition: number): string | null {
  const { leaderId, replicas, inSyncReplicas, highWatermark, logEndOffset, lastStableOffset } =
    cluster.describePartition({ topic, partition });
  const name = `${topic}/${partition}`;
  if (leaderId === null) return `${name} has no leader`;
  if (inSyncReplicas.length < replicas.length)
    return `${name} has ${inSyncReplicas.join(", ")} of ${replicas.length} replicas in sync`;
  const ends = replicas.map((replica) => replica.logEndOffset);
  if (ends.some((end) => end !== logEndOffset)) return `the replicas of ${name} end at ${ends.join(", ")}`;
  if (highWatermark !== logEndOffset) return `${name} is visible up to ${highWatermark} of ${logEndOffset}`;
  if (lastStableOffset !== highWatermark)
    return `${name} is stable up to ${lastStableOffset} of ${highWatermark}`;
  return null;
}

/** Every reader reads every partition to its end; two of them have nothing to remember. */
async function readAll(world: RunWorld, pass: () => Promise<void>): Promise<void> {
  const { topics, clients, witness } = world;
  const readers = [...clients.values()].filter((client) => client instanceof Reader);
  let left = readers.length;
  for (const reader of readers)
    void (async () => {
      for (const topic of topics.names())
        for (const place of topics.places(topic))
          while (await reader.readOnce(place)) world.witness.note(placeName(place));
      left--;
    })();
  for (let passes = 0; left > 0; passes++) {
    if (passes > 100_000)
      return witness.violates({ what: "not-converged", evidence: "readers never reach the end" });
    await pass();
    if (witness.violation !== null) return;
  }
}
