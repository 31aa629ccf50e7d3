/** All judges of one run: of each instant by looks at what has changed, and of the history when it is over. */
import type { BrokerCluster, TopicPartition, TraceEvent } from "@minikafka/core";
import type { History } from "../history/history.ts";
import type { WatchedAppend } from "../world/witness.ts";
import { Verdict } from "./checker.ts";
import { END_CHECKERS } from "./end/end-checkers.ts";
import { lookAtEnd } from "./end/look-at-end.ts";
import { JudgedHistory } from "./facts/judged-history.ts";
import { HISTORY_CHECKERS } from "./history-checkers.ts";
import { answeredInPlace, retryKnown } from "./state/answers.ts";
import { ClusterLooks } from "./state/cluster-looks.ts";
import type { PartitionLook } from "./state/partition-look.ts";
import { instantCheckers, stateCheckers } from "./state-checkers.ts";

const COORDINATORS_TOPIC = "__transaction_state";

export class Judging {
  readonly verdict = new Verdict();
  readonly #looks = new ClusterLooks();
  readonly #checkers = stateCheckers();
  readonly #instants = instantCheckers();
  /** Of what is sent with acks=1: in which epoch, since whoever leads next may not have it. */
  readonly #appendedIn = new WeakMap<WatchedAppend, number>();
  /** Of each cluster since time last passed: as a partition was before another one led it, or others were in sync. */
  #before = new WeakMap<BrokerCluster, PartitionLook[]>();

  constructor() {
    for (const { name } of this.#instants.all) this.verdict.judgeOf(name);
  }

  /** Hears what the cluster does, as it does it. `null`: it does not serve yet, or any more. */
  traced(event: TraceEvent, cluster: BrokerCluster | null): void {
    const { markerAfterDecision, completeAfterMarkers, enoughBeforeAppend, lagLeaves } = this.#instants;
    // Both are told before they count.
    if (event.kind === "isr_changed" || event.kind === "leader_changed") this.#keep(cluster, event);
    this.#looks.traced(event);
    markerAfterDecision.traced(event);
    completeAfterMarkers.traced(event);
    if (event.kind === "isr_changed") enoughBeforeAppend.changed(`${event.topic}/${event.partition}`);
    if (event.kind === "broker_started" || event.kind === "broker_stopped") lagLeaves.begunAnew();
    if (event.kind === "marker_written" && cluster !== null)
      markerAfterDecision.written(
        event,
        this.#looksAt(cluster, COORDINATORS_TOPIC, 0),
        this.verdict.judgeOf(markerAfterDecision.name),
      );
    if (event.kind === "transaction_completed" && cluster !== null)
      completeAfterMarkers.completed(
        event.transactionalId,
        {
          looks: this.#looksAtAll(cluster),
          coordinators: this.#looksAt(cluster, COORDINATORS_TOPIC, 0),
        },
        this.verdict.judgeOf(completeAfterMarkers.name),
      );
  }

  /** See ClusterLooks.harmed. */
  harmed(): void {
    this.#looks.harmed();
  }

  /** All that can go on without time has gone on: no answer is on its way any more. */
  settled(): void {
    this.#before = new WeakMap();
  }

  /** Something has changed in this partition. `life`: which process it is. */
  look(cluster: BrokerCluster, place: TopicPartition, life: number): void {
    const look = this.#looks.lookAt(cluster, place, life);
    if (look === null) return;
    this.verdict.run(this.#checkers.all, look);
    this.#instants.lagLeaves.noted(look);
    this.#looks.judged(look.place);
  }

  lookAtAll(cluster: BrokerCluster, life: number): void {
    for (const { topic, partitions } of cluster.listTopics())
      for (let partition = 0; partition < partitions; partition++)
        this.look(cluster, { topic, partition }, life);
  }

  /** In the instant in which something is sent. */
  asked(append: WatchedAppend): void {
    const { cluster, place, acks, isTransactional } = append;
    const count = isTransactional ? null : this.#looks.inSyncAt(cluster, place);
    if (count === null) return;
    if (acks === "all") this.#instants.enoughBeforeAppend.asked(append, count);
    else this.#appendedIn.set(append, count.leaderEpoch);
  }

  /** In the instant in which the cluster answers a send. */
  answered(
    append: WatchedAppend,
    { baseOffset, nextOffset }: { readonly baseOffset: number; readonly nextOffset: number },
  ): void {
    const { cluster, place, acks } = append;
    const look = acks === 0 ? null : this.#looks.lookAt(cluster, place, 0);
    if (look === null) return;
    const appendedIn = this.#appendedIn.get(append) ?? null;
    const before = this.#before.get(cluster)?.filter((each) => each.place === look.place) ?? [];
    const answer = { ...append, baseOffset, appendedIn };
    answeredInPlace.answered({ look, before }, answer, this.verdict.judgeOf(answeredInPlace.name));
    const { acknowledgedHeld } = this.#checkers;
    const judge = this.verdict.judgeOf(acknowledgedHeld.name);
    if (acks === "all") acknowledgedHeld.acknowledged({ look, before, baseOffset, nextOffset }, judge);
  }

  /** The same where it refuses. */
  refused(append: WatchedAppend, code: string): void {
    const { enoughBeforeAppend } = this.#instants;
    enoughBeforeAppend.refused(append, code, this.verdict.judgeOf(enoughBeforeAppend.name));
    if (code !== "OUT_OF_ORDER_SEQUENCE") return;
    const look = this.#looks.lookAt(append.cluster, append.place, 0);
    if (look !== null) retryKnown.refused(look, append, this.verdict.judgeOf(retryKnown.name));
  }

  /** In the instant in which it was judged who lags. `life`: which process it is. */
  refreshed(cluster: BrokerCluster, life: number): void {
    const { lagLeaves } = this.#instants;
    const judge = this.verdict.judgeOf(lagLeaves.name);
    for (const { topic } of cluster.listTopics())
      for (const look of this.#looksAt(cluster, topic, life)) lagLeaves.refreshed(look, judge);
  }

  /** Everything should have come together: looks at everything once more, from the first batch on, and at the history. */
  async judge(cluster: BrokerCluster, history: History, life: number): Promise<void> {
    this.#looks.forget();
    this.lookAtAll(cluster, life);
    this.verdict.run(END_CHECKERS, await lookAtEnd(cluster));
    this.judgeHistory(history);
  }

  judgeHistory(history: History): void {
    this.verdict.run(HISTORY_CHECKERS, new JudgedHistory(history));
  }

  #keep(cluster: BrokerCluster | null, place: TopicPartition): void {
    const look = cluster === null ? null : this.#looks.lookAt(cluster, place, 0);
    if (cluster === null || look === null) return;
    const looks = this.#before.get(cluster) ?? [];
    this.#before.set(cluster, [...looks, look]);
  }

  #looksAtAll(cluster: BrokerCluster): PartitionLook[] {
    if (cluster.state !== "running") return [];
    return cluster.listTopics().flatMap(({ topic }) => this.#looksAt(cluster, topic, 0));
  }

  #looksAt(cluster: BrokerCluster, topic: string, life: number): PartitionLook[] {
    if (cluster.state !== "running" || !cluster.hasTopic(topic)) return [];
    const { partitions } = cluster.describeTopic(topic);
    return Array.from({ length: partitions }, (_, partition) =>
      this.#looks.lookAt(cluster, { topic, partition }, life),
    ).filter((look) => look !== null);
  }
}
