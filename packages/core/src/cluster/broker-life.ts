/**
 * A broker stops and starts, while the others of this process run on. Nothing is elected meanwhile: what it leads has no leader,
 * what it follows falls behind.
 */
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import type { PartitionReplicaSet } from "../replica/replica-set.ts";
import type { Broker } from "./broker.ts";
import { answeringForDisk } from "./disk-answer.ts";
import type { StepParts } from "./replication-steps.ts";
import { judgeStarted } from "./started-replicas.ts";
import { openOrProblem } from "./topic-folders.ts";

export interface BrokerLifeResult {
  readonly brokerId: number;
  /** Stopping: whether everything was flushed and closed. Starting: whether that was so when it stopped. */
  readonly clean: boolean;
}

export class BrokerLife {
  readonly #parts: StepParts;
  readonly #env: Env;
  /** Stops that are under way. */
  readonly #stopping = new Map<number, Promise<BrokerLifeResult>>();

  constructor(parts: StepParts, env: Env) {
    this.#parts = parts;
    this.#env = env;
  }

  /** It serves no more, from this call on; resolves when its logs are closed. Rejects with INVALID_REQUEST. */
  async stop(brokerId: number): Promise<BrokerLifeResult> {
    const broker = this.#require(brokerId);
    const underWay = this.#stopping.get(brokerId);
    if (underWay !== undefined) return underWay;
    if (broker.isStopped) return { brokerId, clean: true };
    const stopping = this.#stop(broker).finally(() => this.#stopping.delete(brokerId));
    this.#stopping.set(brokerId, stopping);
    return stopping;
  }

  /** Opens its logs again. Those that did not end cleanly are judged. Rejects with INVALID_REQUEST, STORAGE_ERROR. */
  async start(brokerId: number): Promise<BrokerLifeResult> {
    const broker = this.#require(brokerId);
    await this.#stopping.get(brokerId);
    if (!broker.isStopped) return { brokerId, clean: broker.startedClean };
    const { table, keeper } = this.#parts;
    answeringForDisk(() => broker.start());
    const sets = this.#setsOf(brokerId);
    for (const set of sets) {
      const { topic: name, partition } = set.place;
      const topic = keeper.catalogue.require(name);
      const log = openOrProblem(broker, topic, partition, this.#env);
      const noted = table.notedHighWatermark(topic, partition, broker);
      const copy = set.copies.find((each) => each.brokerId === brokerId);
      copy?.attach(log, { noted, learned: noted ?? set.highWatermark });
    }
    try {
      judgeStarted(sets, { ...this.#parts, newcomers: [brokerId] });
    } catch (problem) {
      // Nobody knows which of its replicas may be believed: it has to be started again, and judged then.
      if (problem instanceof BrokerError) broker.fail(`its replicas were not judged: ${problem.message}`);
      throw problem;
    }
    this.#env.trace({ kind: "broker_started", brokerId, clean: broker.startedClean });
    for (const set of sets) {
      set.resumeLeading();
      this.#parts.behind.add(set);
    }
    return { brokerId, clean: broker.startedClean };
  }

  async #stop(broker: Broker): Promise<BrokerLifeResult> {
    const { brokerId } = broker;
    const { table, keeper } = this.#parts;
    const closed = broker.stop(() => table.highWatermarksOf(brokerId, keeper.catalogue));
    for (const set of this.#setsOf(brokerId)) if (set.assignedLeaderId === brokerId) set.stopLeading();
    const clean = await closed.then(
      () => true,
      (problem: unknown) => {
        if (!(problem instanceof BrokerError)) throw problem;
        return false;
      },
    );
    this.#env.trace({ kind: "broker_stopped", brokerId, clean });
    return { brokerId, clean };
  }

  #setsOf(brokerId: number): PartitionReplicaSet[] {
    return this.#parts.table.all().filter(({ replicas }) => replicas.includes(brokerId));
  }

  #require(brokerId: number): Broker {
    const { brokers } = this.#parts;
    if (brokers.ids.includes(brokerId)) return brokers.get(brokerId);
    const message = `there is no broker ${brokerId}; expected one of ${brokers.ids.join(", ")}`;
    throw new BrokerError("INVALID_REQUEST", message, { broker_id: brokerId });
  }
}
