/** All judges of one run: of each instant by looks at what has changed, and of the history when it is over. */
import type { AppendResult, BrokerCluster, TopicPartition, TraceEvent } from "@minikafka/core";
import type { History } from "../history/history.ts";
import { type Judge, Verdict } from "./checker.ts";
import { END_CHECKERS } from "./end/end-checkers.ts";
import { lookAtEnd } from "./end/look-at-end.ts";
import { JudgedHistory } from "./facts/judged-history.ts";
import { HISTORY_CHECKERS } from "./history-checkers.ts";
import { ClusterLooks } from "./state/cluster-looks.ts";
import { stateCheckers } from "./state-checkers.ts";

export class Judging {
  readonly verdict = new Verdict();
  readonly #looks = new ClusterLooks();
  readonly #checkers = stateCheckers();
  readonly #acknowledgedJudge: Judge;

  constructor() {
    this.#acknowledgedJudge = this.verdict.judgeOf(this.#checkers.acknowledgedHeld.name);
  }

  /** Hears what the cluster does. */
  readonly traced = (event: TraceEvent): void => this.#looks.traced(event);

  /** Something has changed in this partition. `life`: which process it is. */
  look(cluster: BrokerCluster, place: TopicPartition, life: number): void {
    const look = this.#looks.lookAt(cluster, place, life);
    if (look !== null) this.verdict.run(this.#checkers.all, look);
  }

  /** In the instant in which the cluster acknowledges what was sent with acks all. */
  acknowledged(
    cluster: BrokerCluster,
    place: TopicPartition,
    { baseOffset, nextOffset }: Pick<AppendResult, "baseOffset" | "nextOffset">,
  ): void {
    const look = this.#looks.lookAt(cluster, place, 0);
    if (look === null) return;
    const { acknowledgedHeld } = this.#checkers;
    acknowledgedHeld.acknowledged({ look, baseOffset, nextOffset }, this.#acknowledgedJudge);
  }

  /** Everything should have come together: looks at everything once more, from the first batch on, and at the history. */
  async judge(cluster: BrokerCluster, history: History, life: number): Promise<void> {
    this.#looks.forget();
    for (const { topic, partitions } of cluster.listTopics())
      for (let partition = 0; partition < partitions; partition++)
        this.look(cluster, { topic, partition }, life);
    this.verdict.run(END_CHECKERS, await lookAtEnd(cluster));
    this.judgeHistory(history);
  }

  judgeHistory(history: History): void {
    this.verdict.run(HISTORY_CHECKERS, new JudgedHistory(history));
  }
}
