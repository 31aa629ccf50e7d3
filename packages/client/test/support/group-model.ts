/**
 * Consumer groups as a coordinator keeps them, as far as a scripted broker needs it: generations, targets, what each member
 * holds, committed offsets. A partition moves under "barrier" once its holder lets go, under "immediate" at once.
 */
import type { ErrorCode, OperationName, ParsedRequest } from "@minikafka/protocol";
import { isRequest, type SeenRequest } from "./scripted-peer.ts";

interface Member {
  readonly topics: readonly string[];
  /** By "topic/partition". */
  readonly held: Set<string>;
  readonly since: number;
}

interface Stored {
  readonly offset: number;
  readonly metadata: string | null;
  readonly topicId: string;
}

interface Group {
  generation: number;
  assignor: string;
  readonly members: Map<string, Member>;
  readonly target: Map<string, Set<string>>;
  readonly offsets: Map<string, Stored>;
  /** The partitions of the subscribed topics, as last seen. */
  seen: string;
  /** Which topic each of them was then. */
  ids: ReadonlyMap<string, string>;
}

/** A commit that was taken. */
export interface TakenCommit {
  readonly memberId: string | undefined;
  readonly offsets: { readonly [place: string]: number };
}

type CommitFields = Pick<
  ParsedRequest<"commit_offsets">,
  "group_id" | "member_id" | "generation" | "offsets"
>;

/** A topic that is not there has no partitions; one that is made anew has another id. */
type TopicLookup = (topic: string) => { readonly topicId: string; readonly partitions: number };

class Refusal {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    this.code = code;
  }
}

export class GroupModel {
  rebalance: "barrier" | "immediate" = "barrier";
  readonly #topicOf: TopicLookup;
  readonly #groups = new Map<string, Group>();
  readonly commits: TakenCommit[] = [];
  /** Whether an open transaction has an offset for the partition. */
  isUnstable: (groupId: string, place: string) => boolean = () => false;

  constructor(topicOf: TopicLookup) {
    this.#topicOf = topicOf;
  }

  /** As if the member had been silent for longer than its session. */
  expire(groupId: string, memberId: string): void {
    const group = this.#group(groupId);
    group.members.delete(memberId);
    this.#change(group);
  }

  committed(groupId: string, place: string): number | null {
    return this.#stored(groupId, place)?.offset ?? null;
  }

  generation(groupId: string): number {
    return this.#group(groupId).generation;
  }

  members(groupId: string): readonly string[] {
    return [...this.#group(groupId).members.keys()];
  }

  /** Whom each partition is counted as held by. */
  holders(groupId: string): { readonly [place: string]: readonly string[] } {
    const holders: { [place: string]: string[] } = {};
    for (const [memberId, { held }] of this.#group(groupId).members)
      for (const place of held) holders[place] = [...(holders[place] ?? []), memberId];
    return holders;
  }

  /** Answers requests of groups; false for any other. */
  handle<Name extends OperationName>(request: SeenRequest<Name>): boolean {
    try {
      return this.#answer(request as unknown as SeenRequest);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      request.refuse(error.code);
      return true;
    }
  }

  #answer(request: SeenRequest): boolean {
    if (isRequest(request, "join_group")) request.answer(this.#join(request.fields));
    else if (isRequest(request, "heartbeat")) request.answer(this.#heartbeat(request.fields));
    else if (isRequest(request, "group_assignment")) request.answer(this.#assignment(request.fields));
    else if (isRequest(request, "leave_group")) request.answer(this.#leave(request.fields));
    else if (isRequest(request, "commit_offsets")) request.answer(this.#commit(request.fields));
    else if (isRequest(request, "fetch_offsets")) request.answer(this.#offsets(request.fields));
    else return false;
    return true;
  }

  #join(fields: ParsedRequest<"join_group">) {
    const { group_id: groupId, member_id: memberId, topics, assignor } = fields;
    const group = this.#group(groupId);
    const known = group.members.get(memberId);
    const others = [...group.members.keys()].filter((other) => other !== memberId);
    if (others.length > 0 && group.assignor !== assignor) throw new Refusal("INCONSISTENT_GROUP_PROTOCOL");
    group.assignor = assignor;
    const since = known?.since ?? group.generation + 1;
    group.members.set(memberId, { topics: [...topics], held: known?.held ?? new Set(), since });
    if (known === undefined || known.topics.join() !== topics.join()) this.#change(group);
    return {
      ...this.#view(group, memberId),
      session_timeout_ms: fields.session_timeout_ms ?? 10_000,
      rebalance_timeout_ms: fields.rebalance_timeout_ms ?? 300_000,
    };
  }

  #heartbeat(fields: ParsedRequest<"heartbeat">) {
    const { group, memberId, member } = this.#member(fields);
    if (fields.generation !== group.generation) throw new Refusal("ILLEGAL_GENERATION");
    const owned = fields.owned?.map(({ topic, partition }) => `${topic}/${partition}`);
    if (owned !== undefined) {
      if (owned.some((place) => !member.held.has(place))) throw new Refusal("NOT_PARTITION_OWNER");
      for (const place of member.held)
        if (!owned.includes(place) && !group.target.get(memberId)?.has(place)) member.held.delete(place);
      this.#grant(group);
    }
    return this.#view(group, memberId);
  }

  #assignment(fields: ParsedRequest<"group_assignment">) {
    const { group, memberId } = this.#member(fields);
    return this.#view(group, memberId);
  }

  #leave(fields: ParsedRequest<"leave_group">) {
    const { group, memberId } = this.#member(fields);
    group.members.delete(memberId);
    this.#change(group);
    return { generation: group.generation };
  }

  /** Why offsets of a transaction are refused, by the same rules as a commit's. */
  refusal(fields: CommitFields): ErrorCode | null {
    try {
      this.#check(fields);
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  #commit(fields: CommitFields) {
    this.#check(fields);
    this.store(fields);
    return {};
  }

  #check({ group_id: groupId, member_id: memberId, generation, offsets }: CommitFields): void {
    const places = offsets.map(({ topic, partition }) => `${topic}/${partition}`);
    const group = this.#group(groupId);
    if (memberId === undefined) {
      if (group.members.size > 0) throw new Refusal("UNKNOWN_MEMBER");
    } else {
      const { member } = this.#member({ group_id: groupId, member_id: memberId });
      if (generation !== group.generation) throw new Refusal("ILLEGAL_GENERATION");
      if (places.some((place) => !member.held.has(place))) throw new Refusal("NOT_PARTITION_OWNER");
    }
    for (const { topic, topic_id } of offsets)
      if (topic_id !== undefined && topic_id !== this.#topicOf(topic).topicId)
        throw new Refusal("UNKNOWN_TOPIC");
  }

  /** Without asking whether they may be committed. */
  store({ group_id: groupId, member_id: memberId, offsets }: CommitFields): void {
    const group = this.#group(groupId);
    for (const { topic, partition, offset, metadata } of offsets) {
      const { topicId } = this.#topicOf(topic);
      group.offsets.set(`${topic}/${partition}`, { offset, metadata, topicId });
    }
    const taken = offsets.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]);
    this.commits.push({ memberId, offsets: Object.fromEntries(taken) });
  }

  #offsets({ group_id: groupId, partitions = [], require_stable }: ParsedRequest<"fetch_offsets">) {
    const isUnstable = partitions.some(({ topic, partition }) =>
      this.isUnstable(groupId, `${topic}/${partition}`),
    );
    if (require_stable && isUnstable) throw new Refusal("UNSTABLE_OFFSET_COMMIT");
    const offsets = partitions.map(({ topic, partition }) => {
      const committed = this.#stored(groupId, `${topic}/${partition}`);
      const { offset = null, metadata = null } = committed ?? {};
      return { topic, partition, offset, metadata, committed_ms: committed === undefined ? null : 0 };
    });
    return { offsets };
  }

  #stored(groupId: string, place: string): Stored | undefined {
    const stored = this.#groups.get(groupId)?.offsets.get(place);
    return stored?.topicId === this.#topicOf(topicOf(place)).topicId ? stored : undefined;
  }

  #member({ group_id: groupId, member_id: memberId }: { group_id: string; member_id: string }) {
    const group = this.#groups.get(groupId);
    if (group === undefined) throw new Refusal("UNKNOWN_GROUP");
    const member = group.members.get(memberId);
    if (member === undefined) throw new Refusal("UNKNOWN_MEMBER");
    if (this.#seen(group) !== group.seen) this.#change(group);
    return { group, memberId, member };
  }

  #group(groupId: string): Group {
    const known = this.#groups.get(groupId);
    if (known !== undefined) return known;
    const empty = { members: new Map(), target: new Map(), offsets: new Map() };
    const group = { generation: 0, assignor: "roundrobin", seen: "", ids: new Map(), ...empty };
    this.#groups.set(groupId, group);
    return group;
  }

  #change(group: Group): void {
    group.generation += 1;
    group.seen = this.#seen(group);
    const places = new Set(this.#places(group));
    const ids = group.ids;
    group.ids = new Map([...places].map((place) => [topicOf(place), this.#idOf(place)]));
    this.#aim(group);
    for (const [memberId, { held }] of group.members) {
      for (const place of held) {
        if (ids.get(topicOf(place)) !== group.ids.get(topicOf(place))) held.delete(place);
        const isGone = !places.has(place) || this.rebalance === "immediate";
        if (isGone && !group.target.get(memberId)?.has(place)) held.delete(place);
      }
    }
    this.#grant(group);
  }

  /** Kafka's RoundRobinAssignor: one cursor over all members, which passes those that are not subscribed. */
  #aim(group: Group): void {
    group.target.clear();
    const members = [...group.members.keys()].sort();
    for (const memberId of members) group.target.set(memberId, new Set());
    let next = 0;
    for (const place of this.#places(group)) {
      const topic = topicOf(place);
      const isReader = (memberId: string) => group.members.get(memberId)?.topics.includes(topic) === true;
      while (!isReader(members[next % members.length] as string)) next += 1;
      group.target.get(members[next++ % members.length] as string)?.add(place);
    }
  }

  /** What nobody holds goes to its target. */
  #grant(group: Group): void {
    const held = new Set([...group.members.values()].flatMap((member) => [...member.held]));
    for (const [memberId, places] of group.target)
      for (const place of places) if (!held.has(place)) group.members.get(memberId)?.held.add(place);
  }

  #places(group: Group): string[] {
    const topics = new Set([...group.members.values()].flatMap((member) => member.topics));
    return [...topics]
      .sort()
      .flatMap((topic) =>
        Array.from({ length: this.#topicOf(topic).partitions }, (_, partition) => `${topic}/${partition}`),
      );
  }

  #seen(group: Group): string {
    return this.#places(group)
      .map((place) => `${place}@${this.#idOf(place)}`)
      .join();
  }

  #idOf(place: string): string {
    return this.#topicOf(topicOf(place)).topicId;
  }

  #view(group: Group, memberId: string) {
    const held = group.members.get(memberId)?.held ?? new Set();
    const target = [...(group.target.get(memberId) ?? [])];
    const assigned = (place: string) => ({ ...parse(place), topic_id: group.ids.get(topicOf(place)) ?? "" });
    return {
      generation: group.generation,
      member_since: group.members.get(memberId)?.since ?? 0,
      assignment: target.filter((place) => held.has(place)).map(assigned),
      pending: target.filter((place) => !held.has(place)).map(assigned),
    };
  }
}

function topicOf(place: string): string {
  return place.slice(0, place.lastIndexOf("/"));
}

function parse(place: string) {
  const topic = topicOf(place);
  return { topic, partition: Number(place.slice(topic.length + 1)) };
}
