/**
 * A consumer of a group as a model: it follows the protocol with nothing but what it was told, believes accordingly, and may
 * die, stall, lose answers and connect anew. What it believes counts within its session alone.
 */
import assert from "node:assert/strict";
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import type { AssignorName } from "../src/group/assignors/assignor.ts";
import type { MemberView } from "../src/group/group-requests.ts";
import { keyOf } from "../src/group/partition-sets.ts";
import type { TopicPartition } from "../src/replica/topic-partition.ts";

export interface Belief {
  readonly place: TopicPartition;
  /** The generation in which its member was told so. */
  readonly since: number;
}

/** How the model reaches its world. */
export interface ClientWorld {
  readonly groupId: string;
  readonly cluster: () => BrokerCluster;
  readonly nowMs: () => number;
  /** A number that no commit had before; it is noted who commits it, at the moment at which the broker hears of it. */
  readonly nextOffset: (commit: { memberId: string; generation: number; place: TopicPartition }) => number;
  /** Whether one of these may have been taken from who has it without being asked: with its topic, or under immediate. */
  readonly mayBeTaken: (believed: readonly Belief[]) => boolean;
  /** A commit was acknowledged, whether or not its sender hears of it. */
  readonly acknowledged: (offset: number, place: TopicPartition) => void;
}

/** A guess is a commit of something that the client does not take to be its own. */
type RequestKind = "join" | "heartbeat" | "assignment" | "commit" | "guess" | "leave";

/** Something that was sent. It takes effect when it is delivered, which may be after its sender has given it up. */
export class ClientRequest {
  readonly kind: RequestKind;
  readonly sentMs: number;
  readonly act: () => Promise<MemberView | null>;
  isDelivered = false;
  outcome: { readonly view: MemberView | null } | { readonly problem: BrokerError } | null = null;
  /** Not the world's doing. */
  broken: unknown = null;

  constructor(kind: RequestKind, sentMs: number, act: () => Promise<MemberView | null>) {
    this.kind = kind;
    this.sentMs = sentMs;
    this.act = act;
  }

  deliver(): void {
    this.isDelivered = true;
    this.act().then(
      (view) => {
        this.outcome = { view };
      },
      (problem: unknown) => {
        if (problem instanceof BrokerError) this.outcome = { problem };
        else this.broken = problem;
      },
    );
  }
}

export interface ClientOptions {
  readonly memberId: string;
  readonly topics: readonly string[];
  readonly assignor: AssignorName;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export class GroupClient {
  readonly options: ClientOptions;
  readonly #world: ClientWorld;
  topics: readonly string[];
  isMember = false;
  /** It left, or its process died: it believes in nothing any more, and does nothing. */
  isGone = false;
  /** It was told that its generation is over, and has to ask. */
  mustAsk = false;
  generation = 0;
  /** What it takes to be its own; what it is about to let go too. */
  readonly believed = new Map<string, Belief>();
  readonly #revoked = new Set<string>();
  #since = 0;
  #heardMs = Number.NEGATIVE_INFINITY;
  outstanding: ClientRequest | null = null;

  constructor(options: ClientOptions, world: ClientWorld) {
    this.options = options;
    this.topics = options.topics;
    this.#world = world;
  }

  /** Whether it may take its own word for what it believes. */
  get isInSession(): boolean {
    return !this.isGone && this.#world.nowMs() - this.#heardMs < this.options.sessionTimeoutMs;
  }

  join(): ClientRequest {
    const { memberId, assignor, sessionTimeoutMs, rebalanceTimeoutMs } = this.options;
    const { groupId, cluster } = this.#world;
    const request = {
      groupId,
      memberId,
      topics: this.topics,
      assignor,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
    };
    return this.#send("join", () => cluster().groups.join(request));
  }

  /** `says`: whether it lists what it has. */
  heartbeat(says: boolean): ClientRequest {
    const { memberId } = this.options;
    const { groupId, cluster } = this.#world;
    const { generation } = this;
    const owned = says ? [...this.believed.values()].map(({ place }) => place) : undefined;
    return this.#send("heartbeat", () =>
      cluster().groups.heartbeat({ groupId, memberId, generation, owned }),
    );
  }

  ask(): ClientRequest {
    const { memberId } = this.options;
    const { groupId, cluster } = this.#world;
    return this.#send("assignment", () => cluster().groups.assignment({ groupId, memberId }));
  }

  /** Of one partition, in the generation that it knows. */
  commit(place: TopicPartition): ClientRequest {
    const { memberId } = this.options;
    const { groupId, cluster, nextOffset, acknowledged } = this.#world;
    const { generation } = this;
    return this.#send(this.believed.has(keyOf(place)) ? "commit" : "guess", async () => {
      const offset = nextOffset({ memberId, generation, place });
      const offsets = [{ ...place, offset, metadata: null }];
      await cluster().groups.commit({ groupId, member: { memberId, generation }, offsets });
      acknowledged(offset, place);
      return null;
    });
  }

  /** It believes in nothing from the moment at which it says so. */
  leave(): ClientRequest {
    const { memberId } = this.options;
    const { groupId, cluster } = this.#world;
    this.die();
    return this.#send("leave", async () => {
      await cluster().groups.leave({ groupId, memberId });
      return null;
    });
  }

  die(): void {
    this.isGone = true;
    this.#lose();
    this.outstanding = null;
  }

  /** It stops reading what it is to let go; the next heartbeat tells. */
  letGo(count = Number.POSITIVE_INFINITY): void {
    for (const key of [...this.#revoked].slice(0, count)) {
      this.#revoked.delete(key);
      this.believed.delete(key);
    }
  }

  /** The answer that it waits for has come. */
  receive(): void {
    const request = this.outstanding;
    if (request === null || request.outcome === null) return;
    this.outstanding = null;
    if ("problem" in request.outcome) this.#refused(request.kind, request.outcome.problem);
    else this.#answered(request, request.outcome.view);
  }

  #send(kind: RequestKind, act: () => Promise<MemberView | null>): ClientRequest {
    const request = new ClientRequest(kind, this.#world.nowMs(), act);
    if (!this.isGone) this.outstanding = request;
    return request;
  }

  #answered({ kind, sentMs }: ClientRequest, view: MemberView | null): void {
    // A question is no sign of life.
    if (kind !== "assignment") this.#heardMs = Math.max(this.#heardMs, sentMs);
    if (view === null) return;
    assert.ok(view.generation >= this.generation, `told ${view.generation} after ${this.generation}`);
    if (view.memberSince !== this.#since) this.#forget();
    this.#since = view.memberSince;
    this.isMember = true;
    this.mustAsk = false;
    const assigned = new Set(view.assignment.map(keyOf));
    if (view.generation > this.generation)
      for (const key of this.believed.keys()) if (!assigned.has(key)) this.#revoked.add(key);
    this.generation = view.generation;
    for (const place of view.assignment) {
      this.#revoked.delete(keyOf(place));
      this.believed.set(keyOf(place), { place, since: view.generation });
    }
  }

  #refused(kind: RequestKind, { code, message }: BrokerError): void {
    if (code === "NOT_PARTITION_OWNER" && kind !== "guess") {
      const revoked = [...this.#revoked].flatMap((key) => this.believed.get(key) ?? []);
      assert.ok(this.#world.mayBeTaken(revoked), message);
      // What it was about to finish is not its own any more.
      this.letGo();
      this.mustAsk = true;
    }
    if (code === "ILLEGAL_GENERATION") this.mustAsk = true;
    if (code === "UNKNOWN_MEMBER" || code === "UNKNOWN_GROUP") this.#lose();
  }

  /** It was another member: what it had may be somebody else's. */
  #forget(): void {
    this.believed.clear();
    this.#revoked.clear();
  }

  #lose(): void {
    this.isMember = false;
    this.mustAsk = false;
    this.#forget();
    this.#heardMs = Number.NEGATIVE_INFINITY;
  }
}
