/** A history, gone through once, so that each checker finds what it asks about in constant time. */
import type {
  AnyOperation,
  Ended,
  History,
  Operation,
  OperationKind,
  OperationKinds,
  SeenRecord,
  SentRecord,
  TopicFacts,
} from "../../history/history.ts";
import type { PlaceName } from "../../history/place.ts";
import { Losses, type Protection } from "./losses.ts";
import { Transaction } from "./transactions.ts";

/** A record, and what its sender knows of it. */
export interface Sent extends SentRecord {
  readonly place: PlaceName;
  readonly send: Operation<"send">;
  /** In its batch. */
  readonly index: number;
  /** `null` unless its sender was told. */
  readonly offset: number | null;
  readonly transaction: Transaction | null;
}

/** A record as one poll gave it. */
export interface Sight extends SeenRecord {
  readonly poll: Poll;
}

/** One that was answered. */
export type Answered<Kind extends OperationKind> = Operation<Kind> & {
  readonly ended: Ended<Kind> & { readonly told: OperationKinds[Kind]["told"] };
};
export type Poll = Answered<"poll">;

export class JudgedHistory {
  readonly history: History;
  readonly losses: Losses;
  /** By id. */
  readonly sent = new Map<string, Sent>();
  /** By place and offset: what was acknowledged there. More than one where something was lost. */
  readonly acknowledged = new Map<PlaceName, Map<number, Sent[]>>();
  /** Those that were answered, in the order of the answers. */
  readonly polls: readonly Poll[];
  /** By id, in the order of the answers. */
  readonly sights = new Map<string, Sight[]>();
  readonly transactions = new Map<string, Transaction>();
  readonly topics = new Map<string, TopicFacts>();
  /** Topics that somebody asked to delete: nobody counts on what they had. */
  readonly gone = new Set<string>();
  /** From when on there were no more faults; `null`: there was no such moment. */
  readonly quietFrom: number | null;
  readonly #byKind = new Map<OperationKind, AnyOperation[]>();

  constructor(history: History) {
    this.history = history;
    this.losses = new Losses(history);
    this.quietFrom = history.happenings.find(({ kind }) => kind === "faults_ended")?.order ?? null;
    for (const operation of history.operations) this.#take(operation);
    this.polls = byAnswer(this.of("poll").filter(isAnswered));
    for (const poll of this.polls) this.#look(poll);
  }

  of<Kind extends OperationKind>(kind: Kind): readonly Operation<Kind>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as readonly Operation<Kind>[];
  }

  isCompacted(place: PlaceName): boolean {
    return this.topics.get(topicOf(place))?.isCompacted ?? false;
  }

  #take(operation: AnyOperation): void {
    listIn(this.#byKind, operation.kind).push(operation);
    switch (operation.kind) {
      case "send":
        this.#takeSend(operation);
        break;
      case "begin_transaction":
        this.#transaction(operation.asked.transaction).begun = operation;
        break;
      case "send_offsets":
        this.#transaction(operation.asked.transaction).offsets.push(operation);
        break;
      case "end_transaction":
        this.#transaction(operation.asked.transaction).ends.push(believed(operation, this.losses));
        break;
      case "delete_topic":
        this.gone.add(operation.asked.topic);
        break;
      case "create_topic":
        this.topics.set(operation.asked.topic, operation.asked);
        break;
      default:
    }
  }

  #takeSend(send: Operation<"send">): void {
    const { place, records, transaction: name } = send.asked;
    const transaction = name === null ? null : this.#transaction(name);
    transaction?.sends.push(send);
    const baseOffset = send.ended?.told?.baseOffset ?? null;
    for (const [index, record] of records.entries()) {
      const offset = baseOffset === null ? null : baseOffset + index;
      const sent = { ...record, place, send, index, offset, transaction };
      this.sent.set(record.id, sent);
      if (offset !== null) listIn(mapIn(this.acknowledged, place), offset).push(sent);
    }
  }

  #look(poll: Poll): void {
    for (const record of poll.ended.told.records) {
      listIn(this.sights, record.id).push({ ...record, poll });
      const transaction = this.sent.get(record.id)?.transaction ?? null;
      if (transaction !== null && poll.asked.isolation === "read_committed")
        transaction.witnessedAt ??= poll.ended.order;
    }
  }

  #transaction(name: string): Transaction {
    const known = this.transactions.get(name) ?? new Transaction(name);
    this.transactions.set(name, known);
    return known;
  }
}

/**
 * A coordinator that has lost how it decided an earlier attempt refuses the next one as if nobody had asked before, while partitions
 * may have the markers already: what its client takes for certain is in doubt then.
 */
function believed(end: Operation<"end_transaction">, losses: Losses): Operation<"end_transaction"> {
  const { ended, order: from } = end;
  if (ended?.outcome !== "failed" || ended.attempts === 1) return end;
  const excuse = losses.excuseOfTopic("__transaction_state", "all", { from, to: ended.order });
  return excuse === null ? end : { ...end, ended: { ...ended, outcome: "unknown" } };
}

/** How well a record is kept for its acknowledgement; `null`: its sender was promised nothing. */
export function protectionOf({ send }: Sent): Protection | null {
  if (send.ended?.outcome !== "ok" || send.asked.acks === 0) return null;
  return send.asked.acks === "all" ? "all" : "written";
}

export function isAnswered<Kind extends OperationKind>(
  operation: Operation<Kind>,
): operation is Answered<Kind> {
  return operation.ended !== null && operation.ended.outcome === "ok" && operation.ended.told !== null;
}

export function byAnswer<Kind extends OperationKind>(answered: readonly Answered<Kind>[]): Answered<Kind>[] {
  return [...answered].sort((one, other) => one.ended.order - other.ended.order);
}

export function topicOf(place: PlaceName): string {
  return place.slice(0, place.lastIndexOf("/"));
}

export function listIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Value[] = [];
  lists.set(key, list);
  return list;
}

export function mapIn<Key, Inner, Value>(maps: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const map = new Map<Inner, Value>();
  maps.set(key, map);
  return map;
}
