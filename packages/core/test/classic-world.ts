/** Members of a classic group over a cluster, in short: each asks with what it was told last. */
import type { BrokerCluster } from "../src/cluster/cluster.ts";
import { BrokerError } from "../src/errors.ts";
import type { Joined } from "../src/group/classic/classic-events.ts";
import type { ClassicJoinRequest } from "../src/group/classic/classic-requests.ts";
import { settle } from "./replica-world.ts";

export const GROUP = "readers";
export const SESSION_MS = 10_000;
export const REBALANCE_MS = 60_000;

/** What a request has come to: `null` while it waits. */
export interface Asked {
  said: string | null;
  readonly ended: Promise<string>;
}

export class ClassicTestMember {
  readonly cluster: BrokerCluster;
  readonly name: string;
  readonly groupId: string;
  instanceId: string | null = null;
  memberId = "";
  generation = -1;
  leader = "";
  /** Everybody, when it leads. */
  others: readonly string[] = [];
  assignment: string | null = null;

  constructor(cluster: BrokerCluster, name: string, groupId = GROUP) {
    this.cluster = cluster;
    this.name = name;
    this.groupId = groupId;
  }

  /** `joins 1`, with ` and leads 2` for how many it is told of, or the code of the refusal. */
  join(changes: Partial<ClassicJoinRequest> = {}): Asked {
    const { groupId, memberId, instanceId: groupInstanceId, name: clientId } = this;
    const request: ClassicJoinRequest = {
      ...{ groupId, memberId, groupInstanceId, clientId },
      clientHost: "127.0.0.1",
      protocolType: "consumer",
      protocols: [{ name: "range", metadata: Buffer.from(clientId) }],
      sessionTimeoutMs: SESSION_MS,
      rebalanceTimeoutMs: REBALANCE_MS,
      requiresKnownMemberId: false,
      ...changes,
    };
    return asked(this.cluster.groups.classic.join(request), (joined) => this.#told(joined));
  }

  /** `has "…"`, or the code. `assignments`: by member id. */
  sync(assignments: { readonly [memberId: string]: string } = {}, generation = this.generation): Asked {
    const list = Object.entries(assignments).map(([memberId, text]) => {
      return { memberId, assignment: Buffer.from(text) };
    });
    const request = { ...this.#own, generation, assignments: list };
    return asked(this.cluster.groups.classic.sync(request), ({ assignment }) => {
      this.assignment = assignment.toString();
      return `has "${this.assignment}"`;
    });
  }

  beat(generation = this.generation): Asked {
    return asked(this.cluster.groups.classic.heartbeat({ ...this.#own, generation }), () => "lives");
  }

  leave(): Asked {
    const { groupId, memberId, instanceId: groupInstanceId } = this;
    const members = [{ memberId, groupInstanceId }];
    return asked(this.cluster.groups.classic.leave({ groupId, members }), ([left]) => left?.code ?? "left");
  }

  /** Of partition 0 of `orders`. */
  commit(offset: number, generation = this.generation): Asked {
    const { groupId, memberId, instanceId: groupInstanceId } = this;
    const offsets = [{ topic: "orders", partition: 0, offset, metadata: null }];
    const request = { groupId, member: { memberId, generation, groupInstanceId }, offsets };
    return asked(this.cluster.groups.commit(request), () => `committed ${offset}`);
  }

  get #own() {
    const { groupId, memberId, instanceId: groupInstanceId } = this;
    return { groupId, memberId, groupInstanceId };
  }

  #told(joined: Joined): string {
    this.memberId = joined.memberId;
    this.generation = joined.generation;
    this.leader = joined.leader;
    this.others = joined.members.map(({ memberId }) => memberId);
    const leads = this.others.length === 0 ? "" : ` and leads ${this.others.length}`;
    return `joins ${joined.generation}${leads}`;
  }
}

/** `promise` in short, from when it has ended. */
export function asked<Answer>(promise: Promise<Answer>, shown: (answer: Answer) => string): Asked {
  const ended = promise.then(shown, (problem: unknown) => {
    if (problem instanceof BrokerError) return problem.code;
    throw problem;
  });
  const request: Asked = { said: null, ended };
  ended.then(
    (said) => {
      request.said = said;
    },
    () => {},
  );
  return request;
}

/** What each has come to, as far as it has. */
export async function said(...requests: readonly Asked[]): Promise<(string | null)[]> {
  await settle();
  return requests.map((request) => request.said);
}

/** All of them in one generation, the first one leads, and each has its own name as assignment. */
export async function together(members: readonly ClassicTestMember[]): Promise<void> {
  const [leader] = members;
  if (leader === undefined) return;
  for (const member of members) {
    const before = members.slice(0, members.indexOf(member));
    const joining = [member, ...before].map((each) => each.join());
    await Promise.all(joining.map(({ ended }) => ended));
  }
  const assignments = Object.fromEntries(members.map(({ memberId, name }) => [memberId, name]));
  const synced = members.map((member) => member.sync(member === leader ? assignments : {}));
  await Promise.all(synced.map(({ ended }) => ended));
}
