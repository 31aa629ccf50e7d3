/** One script, run under a profile, and what it shows line by line. */

import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { type ClusterConfig, ORIGINAL_DIALS } from "../src/cluster/config.ts";
import { BrokerError } from "../src/errors.ts";
import { valuesOf } from "./cluster-world.ts";
import { inSyncOf, marksOf, ORDERS, openReplicated, outcomeOf, send } from "./replica-world.ts";
import { memoryWorld, type World } from "./world.ts";

export type Profile = "kafka" | "original";

const DIALS: { readonly [Name in Profile]: Partial<ClusterConfig> } = { kafka: {}, original: ORIGINAL_DIALS };

/** A cluster under a profile, and the transcript of what is done to it. */
class Stage {
  readonly lines: string[] = [];
  readonly world: World = memoryWorld();
  readonly #profile: Profile;
  #cluster: BrokerCluster | null = null;

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  get cluster(): BrokerCluster {
    if (this.#cluster === null) throw new Error("the stage is empty");
    return this.#cluster;
  }

  async open(minInSyncReplicas = 1): Promise<void> {
    const config = { ...DIALS[this.#profile], segmentBytes: 1 << 20 };
    this.#cluster = await openReplicated(this.world, { minInSyncReplicas, config });
  }

  /** Does something, and notes it with what it changed. */
  async act(what: string, act: () => unknown): Promise<void> {
    let outcome = "";
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof BrokerError)) throw problem;
      outcome = `  ${problem.code}`;
    }
    this.lines.push(`${what}${outcome}`);
    this.look();
  }

  look(): void {
    const { leaderId, leaderEpoch } = this.cluster.replicaSet(ORDERS);
    const leader = leaderId === null ? "no leader" : `leader ${leaderId}`;
    const seen = leaderId === null ? "-" : valuesOf(this.cluster, ORDERS).join(" ") || "nothing";
    const marks = marksOf(this.cluster).join(" ");
    const isr = inSyncOf(this.cluster).join(",");
    this.lines.push(
      `    ${leader}, epoch ${leaderEpoch}, in sync ${isr}, logs ${marks}, consumers see ${seen}`,
    );
  }

  say(line: string): void {
    this.lines.push(line);
  }
}

type Scene = readonly [title: string, play: (stage: Stage) => Promise<void>];

const SCENES: readonly Scene[] = [
  [
    "acks=1 is acknowledged, and lost on promotion",
    async (stage) => {
      await stage.open();
      await stage.act("produce a, acks 1", () => send(stage.cluster, ["a"]));
      await stage.act("stop broker 1", () => stage.cluster.stopBroker(1));
      await stage.act("promote 2", () => stage.cluster.promote(ORDERS, 2));
      await stage.act("start broker 1", () => stage.cluster.startBroker(1));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
    },
  ],
  [
    "what every in-sync replica held, before it was visible",
    async (stage) => {
      await stage.open(3);
      await stage.act("produce a, acks 1", () => send(stage.cluster, ["a"]));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      await stage.act("remove 3 from the in-sync replicas", () => stage.cluster.removeFromIsr(ORDERS, 3));
      await stage.act("produce b, acks 1", () => send(stage.cluster, ["b"]));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      await stage.act("promote 2", () => stage.cluster.promote(ORDERS, 2));
      await stage.act("let 3 rejoin", () => stage.cluster.rejoin(ORDERS, 3));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
    },
  ],
  [
    "an old leader's tail",
    async (stage) => {
      await stage.open();
      await stage.act("produce a, acks 1", () => send(stage.cluster, ["a"]));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      await stage.act("produce tail, acks 1", () => send(stage.cluster, ["tail"]));
      await stage.act("promote 2", () => stage.cluster.promote(ORDERS, 2));
      await stage.act("produce b, acks 1", () => send(stage.cluster, ["b"]));
      await stage.act("let 1 rejoin", () => stage.cluster.rejoin(ORDERS, 1));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
    },
  ],
  [
    "a follower that lags, and who waits for it",
    async (stage) => {
      await stage.open();
      await stage.act("produce a, acks 1", () => send(stage.cluster, ["a"]));
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      const waiting = send(stage.cluster, ["b"], "all");
      waiting.catch(() => undefined);
      await stage.act("produce b, acks all", () => undefined);
      await stage.act("replicate 2 alone", () => stage.cluster.replicateOnce({ brokerId: 2 }));
      await stage.act("10 s later", () => stage.world.clock.advance(10_001));
      await stage.act("replicate 2 alone", () => stage.cluster.replicateOnce({ brokerId: 2 }));
      await stage.act("judge who is in sync", () => stage.cluster.refreshIsr());
      stage.say(`    b is ${await outcomeOf(waiting)}`);
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      stage.say(`    b is ${await outcomeOf(waiting)}`);
    },
  ],
  [
    "acks=all while the in-sync replicas shrink",
    async (stage) => {
      await stage.open(2);
      const waiting = send(stage.cluster, ["a"], "all");
      waiting.catch(() => undefined);
      await stage.act("produce a, acks all", () => undefined);
      await stage.act("remove 2", () => stage.cluster.removeFromIsr(ORDERS, 2));
      await stage.act("remove 3", () => stage.cluster.removeFromIsr(ORDERS, 3));
      stage.say(`    a is ${await outcomeOf(waiting)}`);
      await stage.act("produce b, acks all", () => send(stage.cluster, ["b"], "all"));
    },
  ],
  [
    "a restart with a replica that lags",
    async (stage) => {
      await stage.open();
      await stage.act("remove 3", () => stage.cluster.removeFromIsr(ORDERS, 3));
      await stage.act("produce a, acks 1", () => send(stage.cluster, ["a"]));
      await stage.act("replicate 2 alone", () => stage.cluster.replicateOnce({ brokerId: 2 }));
      await stage.cluster.close();
      await stage.open();
      await stage.act("close and open the cluster", () => undefined);
      await stage.act("replicate", () => stage.cluster.replicateOnce());
      await stage.act("let 3 rejoin", () => stage.cluster.rejoin(ORDERS, 3));
    },
  ],
];

/** The whole transcript of a profile, scene by scene. */
export async function transcriptOf(profile: Profile): Promise<{ title: string; lines: readonly string[] }[]> {
  const scenes: { title: string; lines: readonly string[] }[] = [];
  for (const [title, play] of SCENES) {
    const stage = new Stage(profile);
    await play(stage);
    scenes.push({ title, lines: stage.lines });
  }
  return scenes;
}
