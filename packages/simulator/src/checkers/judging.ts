/** All judges of one run: of each instant by looks at what has changed, and of the history when it is over. */
import type { BrokerCluster, TopicPartition, TraceEvent } from "@minikafka/core";
import type { Acks, History } from "../history/history.ts";
import { Verdict } from "./checker.ts";
import { END_CHECKERS } from "./end/end-checkers.ts";
import { lookAtEnd } from "./end/look-at-end.ts";
import { JudgedHistory } from "./facts/judged-history.ts";
import { HISTORY_CHECKERS } from "./history-checkers.ts";
import { type AnsweredBatch, answeredInPlace, retryKnown, type SentBatch } from "./state/answers.ts";
import { ClusterLooks } from "./state/cluster-looks.ts";
import { stateCheckers } from "./state-checkers.ts";

export class Judging {
  readonly verdict = new Verdict();
  readonly #looks = new ClusterLooks();
  readonly #checkers = stateCheckers();

  constructor() {
    for (const { name } of [answeredInPlace, retryKnown]) this.verdict.judgeOf(name);
  }

  /** Hears what the cluster does. */
  readonly traced = (event: TraceEvent): void => this.#looks.traced(event);

  /** Something has changed in this partition. `life`: which process it is. */
  look(cluster: BrokerCluster, place: TopicPartition, life: number): void {
    const look = this.#looks.lookAt(cluster, place, life);
    if (look !== null) this.verdict.run(this.#checkers.all, look);
  }

  /** In the instant in which the cluster answers a send. */
  answered(
    cluster: BrokerCluster,
    place: TopicPartition,
    answer: AnsweredBatch & { readonly acks: Acks; readonly nextOffset: number },
  ): void {
    const { acks, baseOffset, nextOffset } = answer;
    const look = acks === 0 ? null : this.#looks.lookAt(cluster, place, 0);
    if (look === null) return;
    answeredInPlace.answered(look, answer, this.verdict.judgeOf(answeredInPlace.name));
    const { acknowledgedHeld } = this.#checkers;
    const judge = this.verdict.judgeOf(acknowledgedHeld.name);
    if (acks === "all") acknowledgedHeld.acknowledged({ look, baseOffset, nextOffset }, judge);
  }

  /** The same where it refuses. */
  refused(
    cluster: BrokerCluster,
    place: TopicPartition,
    { code, ...batch }: SentBatch & { readonly code: string },
  ): void {
    if (code !== "OUT_OF_ORDER_SEQUENCE") return;
    const look = this.#looks.lookAt(cluster, place, 0);
    if (look !== null) retryKnown.refused(look, batch, this.verdict.judgeOf(retryKnown.name));
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
