/** Histories made by hand, one call for each thing that happened, and what the checkers say of them. */
import { Verdict } from "../src/checkers/checker.ts";
import { JudgedHistory } from "../src/checkers/facts/judged-history.ts";
import { HISTORY_CHECKERS } from "../src/checkers/history-checkers.ts";
import type { Dials } from "../src/history/happenings.ts";
import type {
  Acks,
  Isolation,
  OperationKinds,
  Outcome,
  Sequence,
  TopicFacts,
} from "../src/history/history.ts";
import { Recorder } from "../src/history/recorder.ts";

export const ORDERS = "orders/0";

const TOPIC: TopicFacts = {
  topic: "orders",
  partitions: 2,
  replicationFactor: 3,
  minInsyncReplicas: 1,
  isCompacted: false,
  isRetained: false,
};

const DIALS: Dials = {
  flush: "ack",
  reconciliation: "leader-epoch",
  highWatermarkCheckpoint: true,
  rebalance: "barrier",
};

interface SendOrder {
  readonly client?: string;
  readonly place?: string;
  readonly acks?: Acks;
  readonly outcome?: Outcome;
  readonly attempts?: number;
  readonly sequence?: Sequence;
  readonly transaction?: string;
  readonly key?: string;
  readonly copyOf?: string;
}

interface PollOrder {
  readonly client?: string;
  readonly place?: string;
  readonly isolation?: Isolation;
  readonly reader?: string;
  readonly from?: number;
  readonly next?: number;
  readonly logStart?: number;
  readonly highWatermark?: number;
  readonly lastStable?: number;
}

export class MadeHistory {
  readonly recorder = new Recorder(() => this.nowMs);
  nowMs = 0;
  #polls = 0;

  constructor() {
    this.started();
    this.topic();
  }

  started(dials: Partial<Dials> = {}): void {
    this.recorder.happened({ kind: "process_started", dials: { ...DIALS, ...dials } });
  }

  topic(changes: Partial<TopicFacts> = {}): void {
    this.recorder.asked("create_topic", "admin", { ...TOPIC, ...changes }).ok({});
  }

  /** `offset`: what its sender is told, when the outcome is `ok`. */
  send(id: string, offset: number, order: SendOrder = {}): void {
    const { client = "p", place = ORDERS, acks = "all", outcome = "ok", attempts = 1 } = order;
    const { sequence = null, transaction = null, key = null, copyOf = null } = order;
    const records = [{ id, key, isTombstone: false, copyOf }];
    const asked = this.recorder.asked("send", client, { place, records, acks, sequence, transaction });
    if (outcome === "ok") asked.ok({ baseOffset: offset, duplicate: false }, attempts);
    else if (outcome === "failed") asked.failed("NOT_ENOUGH_REPLICAS", attempts);
    else asked.unknown("CONNECTION_LOST", attempts);
  }

  /** `seen`: by offset, `id` or `id/key`. */
  poll(seen: Readonly<Record<number, string>>, order: PollOrder = {}): void {
    const { client = "c", place = ORDERS, isolation = "read_uncommitted", from = 0 } = order;
    const records = Object.entries(seen).map(([offset, name]) => {
      const [id = "", key = null] = name.split("/");
      return { offset: Number(offset), id, key, isTombstone: false };
    });
    const { next = (records.at(-1)?.offset ?? from - 1) + 1, reader = `r${this.#polls++}` } = order;
    const { highWatermark = next, lastStable = highWatermark, logStart = 0 } = order;
    this.recorder.asked("poll", client, { reader, place, isolation, fromOffset: from }).ok({
      records,
      nextOffset: next,
      logStartOffset: logStart,
      highWatermark,
      lastStableOffset: lastStable,
    });
  }

  /** `meanwhile` lies between question and answer. */
  init(
    client: string,
    producerId: number,
    producerEpoch: number,
    transactionalId: string | null = null,
    meanwhile: () => void = () => {},
  ): void {
    const asked = this.recorder.asked("init_producer", client, { transactionalId });
    meanwhile();
    asked.ok({ producerId, producerEpoch });
  }

  begin(transaction: string, producerEpoch = 0, transactionalId = "copier"): void {
    const asked = { transaction, transactionalId, producerId: 7, producerEpoch };
    this.recorder.asked("begin_transaction", "p", asked).ok({});
  }

  end(transaction: string, commit: boolean, outcome: Outcome = "ok"): void {
    const asked = this.recorder.asked("end_transaction", "p", { transaction, commit });
    if (outcome === "ok") asked.ok({});
    else if (outcome === "failed") asked.failed("TRANSACTION_ABORTED");
    else asked.unknown(null);
  }

  /** A commit of which an attempt had no answer, and the last one is refused; `meanwhile` lies between. */
  refusedCommit(transaction: string, attempts: number, meanwhile: () => void): void {
    const asked = this.recorder.asked("end_transaction", "p", { transaction, commit: true });
    meanwhile();
    asked.failed("INVALID_TRANSACTION_STATE", attempts);
  }

  sendOffsets(transaction: string, offset: number, generation = 1, memberId = "one"): void {
    const offsets = [{ place: ORDERS, offset }];
    const asked = { transaction, groupId: "g", member: { memberId, generation }, offsets };
    this.recorder.asked("send_offsets", "p", asked).ok({});
  }

  commit(offset: number, member: [id: string, generation: number] | null, outcome: Outcome = "ok"): void {
    const by = member === null ? null : { memberId: member[0], generation: member[1] };
    const asked = { groupId: "g", member: by, offsets: [{ place: ORDERS, offset }] };
    const commit = this.recorder.asked("commit", by?.memberId ?? "outside", asked);
    if (outcome === "ok") commit.ok({});
    else if (outcome === "failed") commit.failed("ILLEGAL_GENERATION");
    else commit.unknown(null);
  }

  offsets(offset: number | null): void {
    const offsets = [{ place: ORDERS, offset }];
    this.recorder.asked("read_offsets", "admin", { groupId: "g" }).ok({ offsets });
  }

  /** `meanwhile` lies between question and answer. */
  join(
    memberId: string,
    generation: number,
    assignment: readonly string[],
    memberSince = generation,
    meanwhile: () => void = () => {},
  ): void {
    const told: OperationKinds["join"]["told"] = { generation, memberSince, assignment };
    const asked = this.recorder.asked("join", memberId, { groupId: "g", memberId });
    meanwhile();
    asked.ok(told);
  }

  heartbeat(
    memberId: string,
    generation: number,
    assignment: readonly string[],
    memberSince = generation,
  ): void {
    const asked = { groupId: "g", memberId, generation, owned: assignment };
    this.recorder.asked("heartbeat", memberId, asked).ok({ generation, memberSince, assignment });
  }

  /** `meanwhile` lies between the question that has it believe and the belief. */
  believes(
    memberId: string,
    places: readonly string[],
    untilMs: number,
    meanwhile: () => void = () => {},
  ): void {
    const askedOrder = this.recorder.order;
    meanwhile();
    const what = { groupId: "g", memberId, generation: 1, memberSince: 1, places, untilMs, askedOrder };
    this.recorder.happened({ kind: "believes", ...what });
  }

  deleteRecords(beforeOffset: number, place = ORDERS): void {
    const asked = { place, beforeOffset };
    this.recorder.asked("delete_records", "admin", asked).ok({ logStartOffset: beforeOffset });
  }

  crash(disk: "kept" | "lost" = "lost"): void {
    this.recorder.happened({ kind: "process_crashed", disk });
  }

  /** `isUnclean`: by one that was out of sync, as an operator has allowed. */
  lead(place = ORDERS, isUnclean = false): void {
    if (isUnclean)
      this.recorder.asked("promote", "operator", { place, brokerId: 2, unclean: true }).unknown(null);
    this.recorder.happened({ kind: "leader_changed", place, leaderId: 2, leaderEpoch: 2, isUnclean });
  }

  quiet(): void {
    this.recorder.happened({ kind: "faults_ended" });
  }

  judged(): Verdict {
    const verdict = new Verdict();
    verdict.run(HISTORY_CHECKERS, new JudgedHistory(this.recorder));
    return verdict;
  }
}

/** What the checkers say of a history that `make` makes. */
export function verdictOf(make: (history: MadeHistory) => void): Verdict {
  const history = new MadeHistory();
  make(history);
  return history.judged();
}
