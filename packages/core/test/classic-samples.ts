/** Classic groups and requests for tests: members `a` and `b` of the consumer protocol type, and outcomes in short. */
import { BrokerError } from "../src/errors.ts";
import {
  type ClassicEvent,
  type JoinAsked,
  joinEventOf,
  type Outcome,
  type Reply,
} from "../src/group/classic/classic-events.ts";
import {
  type ClassicGroup,
  classicProblem,
  deadClassicGroup,
  type MemberProtocol,
} from "../src/group/classic/classic-state.ts";
import type { ClassicWorld } from "../src/group/classic/rebalancing.ts";
import { afterClassic } from "../src/group/classic/transitions.ts";

export const WORLD: ClassicWorld = { nowMs: 5_000, monotonicMs: 1_000, initialDelayMs: 0, sizeMax: 10 };

export function protocols(...names: string[]): MemberProtocol[] {
  return names.map((name) => ({ name, metadata: Buffer.from(`as ${name}`) }));
}

/** `memberId: ""`, unless it is said. */
export function asked(changes: Partial<JoinAsked> = {}): JoinAsked {
  return {
    memberId: "",
    instanceId: null,
    clientId: "client",
    clientHost: "127.0.0.1",
    protocolType: "consumer",
    protocols: protocols("range"),
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 60_000,
    requiresKnownMemberId: false,
    skipsAssignment: true,
    reason: null,
    ...changes,
  };
}

/** A group that is changed by one event after the other, each of which must leave a group that may be. */
export class Life {
  group: ClassicGroup;
  outcome: Outcome;
  world: ClassicWorld;

  constructor(group: ClassicGroup = deadClassicGroup("g"), world: ClassicWorld = WORLD) {
    this.group = group;
    this.world = world;
    this.outcome = { group, replies: [], removed: [] };
  }

  /** What is told: `a joins 1`, `b syncs "x"`, `b join REBALANCE_IN_PROGRESS`; and ` -b` for who is removed. */
  on(event: ClassicEvent): string[] {
    this.outcome = afterClassic(this.group, event, this.world);
    this.group = this.outcome.group;
    const problem = classicProblem(this.group);
    if (problem !== null) throw new Error(problem);
    return [
      ...this.outcome.replies.map(shownReply),
      ...this.outcome.removed.map(({ memberId, cause }) => `-${memberId} ${cause}`),
    ];
  }

  /** `newId` for who has none. */
  join(newId: string, changes: Partial<JoinAsked> = {}): string[] {
    return this.on(joinEventOf(this.group, asked(changes), newId));
  }

  rejoin(memberId: string, changes: Partial<JoinAsked> = {}): string[] {
    return this.join("nobody", { memberId, ...changes });
  }

  /** `assignments`: by member, as the leader sends them. */
  sync(memberId: string, assignments: { readonly [memberId: string]: string } = {}): string[] {
    const { generation } = this.group;
    const list = Object.entries(assignments).map(
      ([of, assignment]) => [of, Buffer.from(assignment)] as const,
    );
    const said = { protocolType: null, protocol: null, assignments: new Map(list) };
    return this.on({ kind: "sync", memberId, instanceId: this.instanceOf(memberId), generation, ...said });
  }

  leave(...memberIds: string[]): string[] {
    return this.on({ kind: "leave", memberIds, reason: "they left" });
  }

  /** The group's phase is over, and these were silent. */
  expire(...silent: string[]): string[] {
    const expired = silent.map((memberId) => {
      return { memberId, cause: "session_timeout", timeoutMs: 10_000 } as const;
    });
    const isPhaseOver = silent.length === 0;
    return this.on({ kind: "time_passed", silent: expired, forgottenIds: [], isPhaseOver });
  }

  instanceOf(memberId: string): string | null {
    return this.group.members.get(memberId)?.instanceId ?? null;
  }

  /** `stable@2 range a>` with the leader marked, a static member's instance in brackets. */
  get shown(): string {
    const { state, generation, protocol, members, leaderId } = this.group;
    const names = Array.from(members.values(), ({ memberId, instanceId }) => {
      const of = instanceId === null ? "" : `[${instanceId}]`;
      return `${memberId}${of}${memberId === leaderId ? ">" : ""}`;
    });
    return [`${state}@${generation}`, ...(protocol === null ? [] : [protocol]), ...names].join(" ");
  }
}

export function shownReply(reply: Reply): string {
  if ("refusal" in reply) return `${reply.memberId} ${reply.to} ${reply.refusal.code}`;
  if ("synced" in reply) return `${reply.memberId} syncs "${reply.synced.assignment.toString()}"`;
  const { joined } = reply;
  const list =
    joined.members.length === 0 ? "" : ` of ${joined.members.map((each) => each.memberId).join(",")}`;
  const skips = joined.skipAssignment ? " and skips" : "";
  return `${reply.memberId} joins ${joined.generation} ${joined.protocolName} led by ${joined.leader}${list}${skips}`;
}

export function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (problem) {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  }
  return "no refusal";
}

/** `a` leads `b`. */
export function completing(): Life {
  const life = new Life();
  life.join("a");
  life.join("b");
  life.rejoin("a");
  return life;
}

export function stable(): Life {
  const life = completing();
  life.sync("b");
  life.sync("a", { a: "0,2", b: "1,3" });
  return life;
}

/** `a` has come to join again, `b` has not. */
export function preparing(): Life {
  const life = stable();
  life.rejoin("a");
  return life;
}

export function empty(): Life {
  const life = stable();
  life.leave("a", "b");
  return life;
}
