/** A member of a classic group as Kafka's clients behave, one request at a time, with all that it was told. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import type { Joined, Synced } from "../src/group/classic/classic-events.ts";

export const SESSION_MS = 6_000;
export const REBALANCE_MS = 20_000;

export interface ClientWorld {
  readonly groupId: string;
  readonly cluster: () => BrokerCluster;
  readonly nowMs: () => number;
  readonly onJoined: (client: ClassicClient, joined: Joined) => void;
  readonly onSynced: (client: ClassicClient, synced: Synced) => void;
  /** Calls it back when the offset is acknowledged. */
  readonly nextOffset: (client: ClassicClient) => {
    readonly offset: number;
    readonly acknowledged: () => void;
  };
  /** Whether a member that only has to say that it lives commits instead. */
  readonly commitsNow: () => boolean;
}

type Doing = "join" | "sync" | "beat" | "commit" | "leave";

export class ClassicClient {
  readonly name: string;
  readonly isStatic: boolean;
  readonly #world: ClientWorld;
  /** Changes make another subscription of it. */
  version = 0;
  memberId = "";
  /** Of which it was told last; -1 for none. */
  generation = -1;
  leads = false;
  protocol = "";
  /** Everybody that it was told of when it leads, by id: the name. */
  others = new Map<string, string>();
  /** What is to be done next. */
  next: Doing = "join";
  isWaiting = false;
  isGone = false;
  assignment: string | null = null;
  broken: unknown = null;
  /** When it was last told that it lives. */
  lastHeard = -1;

  constructor(name: string, isStatic: boolean, world: ClientWorld) {
    this.name = name;
    this.isStatic = isStatic;
    this.#world = world;
  }

  get instanceId(): string | null {
    return this.isStatic ? `instance ${this.name}` : null;
  }

  /** Sends what is next, unless it waits for an answer. */
  act(): void {
    if (this.isWaiting || this.isGone) return;
    this.isWaiting = true;
    const sent = this.next === "beat" && this.#world.commitsNow() ? "commit" : this.next;
    this.#send(sent).then(
      () => {
        this.isWaiting = false;
        this.lastHeard = this.#world.nowMs();
      },
      (problem: unknown) => {
        this.isWaiting = false;
        this.#refused(sent, problem);
      },
    );
  }

  /** The process is another one: it knows nothing any more. What was sent is nobody's. */
  reborn(): ClassicClient {
    this.isGone = true;
    return new ClassicClient(this.name, this.isStatic, this.#world);
  }

  #send(doing: Doing): Promise<unknown> {
    const { classic } = this.#world.cluster().groups;
    const { groupId } = this.#world;
    const { memberId, generation, instanceId: groupInstanceId } = this;
    const own = { groupId, memberId, groupInstanceId, generation };
    switch (doing) {
      case "join":
        return this.#join();
      case "sync": {
        const texts = [...this.others].map(([id, name]) => [id, `${generation}:${name}`] as const);
        const assignments = texts.map(([id, text]) => ({ memberId: id, assignment: Buffer.from(text) }));
        return classic.sync({ ...own, assignments: this.leads ? assignments : [] }).then((synced) => {
          if (this.isGone) return;
          this.assignment = synced.assignment.toString();
          this.next = "beat";
          this.#world.onSynced(this, synced);
        });
      }
      case "beat":
        return classic.heartbeat(own);
      case "commit": {
        const { offset, acknowledged } = this.#world.nextOffset(this);
        const offsets = [{ topic: "t", partition: 0, offset, metadata: null }];
        const { groups } = this.#world.cluster();
        return groups.commit({ groupId, member: own, offsets }).then(acknowledged);
      }
      case "leave":
        return classic.leave({ groupId, members: [{ memberId, groupInstanceId }] }).then(() => {
          this.isGone = true;
        });
    }
  }

  async #join(): Promise<void> {
    const { groupId } = this.#world;
    const { memberId, instanceId: groupInstanceId, name: clientId, version } = this;
    const metadata = Buffer.from(`${this.name} ${version}`);
    const joined = await this.#world.cluster().groups.classic.join({
      ...{ groupId, memberId, groupInstanceId, clientId, clientHost: "test" },
      protocolType: "consumer",
      protocols: ["range", "sticky"].map((name) => ({ name, metadata })),
      ...{ sessionTimeoutMs: SESSION_MS, rebalanceTimeoutMs: REBALANCE_MS },
      ...{ requiresKnownMemberId: true, supportsSkippingAssignment: true },
    });
    if (this.isGone) return;
    this.memberId = joined.memberId;
    this.generation = joined.generation;
    this.leads = joined.leader === joined.memberId && !joined.skipAssignment;
    this.others = new Map(
      joined.members.map((each) => [each.memberId, each.metadata.toString().split(" ")[0] ?? ""]),
    );
    this.protocol = joined.protocolName;
    this.assignment = null;
    this.next = "sync";
    this.#world.onJoined(this, joined);
  }

  #refused(doing: Doing, problem: unknown): void {
    if (!(problem instanceof BrokerError)) {
      this.broken = problem;
      return;
    }
    if (this.isGone) return;
    switch (problem.code) {
      case "MEMBER_ID_REQUIRED":
        this.memberId = String(problem.details.member_id);
        return;
      case "REBALANCE_IN_PROGRESS":
        this.next = doing === "leave" ? "leave" : "join";
        return;
      case "ILLEGAL_GENERATION":
        this.next = "join";
        return;
      case "FENCED_LEADER_EPOCH":
        return;
      case "UNKNOWN_MEMBER":
      case "FENCED_INSTANCE_ID":
        this.memberId = "";
        this.generation = -1;
        this.next = "join";
        return;
      // Whoever coordinates now is asked again.
      case "NOT_COORDINATOR":
      case "LEADER_NOT_AVAILABLE":
      case "SHUTTING_DOWN":
      case "STORAGE_ERROR":
      case "NOT_ENOUGH_REPLICAS":
      case "NOT_ENOUGH_REPLICAS_AFTER_APPEND":
        return;
      default:
        this.broken = problem;
    }
  }
}
