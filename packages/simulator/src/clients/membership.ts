/**
 * A consumer's life in its group, as KIP-848 has it: it joins, says that it lives and what it has, reads what it is assigned, and lets
 * go of what it is no longer.
 *
 * Owns: what it believes to be its own, and where it goes on reading there.
 * Never: a belief beyond what it was told, or beyond its session.
 */
import type { AssignorName, MemberView, TopicPartition } from "@minikafka/core";
import type { Operation } from "../history/history.ts";
import type { Answer } from "../network/connection.ts";
import { placeName } from "../world/topics.ts";
import { type Client, codeOf, isInDoubt, isSure } from "./client.ts";

export interface MembershipOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly assignor: AssignorName;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export interface Owned {
  readonly place: TopicPartition;
  readonly topicId: string;
  /** Where to go on; `null`: the group has to be asked. */
  position: number | null;
  /** The name of the row of polls. */
  reader: string;
}

export class Membership {
  readonly #client: Client;
  readonly options: MembershipOptions;
  readonly memberId: string;
  /** By name of the partition. */
  readonly owned = new Map<string, Owned>();
  generation = 0;
  isMember = false;
  readonly #letGo: (revoked: readonly Owned[]) => Promise<void>;
  #isBeating = false;
  /** How often it had nothing any more. */
  #losses = 0;
  #isKeptAlive = false;
  #memberSince = 0;
  #rows = 0;

  /** `letGo` is awaited before it gives partitions back. */
  constructor(
    client: Client,
    options: MembershipOptions,
    letGo: (revoked: readonly Owned[]) => Promise<void> = async () => {},
  ) {
    this.#client = client;
    this.#letGo = letGo;
    this.options = options;
    this.memberId = client.name;
  }

  get committer() {
    return { memberId: this.memberId, generation: this.generation };
  }

  /** Joins, or says that it lives; resolves with whether it is a member. */
  async beat(): Promise<boolean> {
    if (this.#isBeating) return this.isMember;
    this.#isBeating = true;
    await this.#beat();
    this.#isBeating = false;
    if (!this.#isKeptAlive) void this.#keepAlive();
    return this.isMember;
  }

  async #beat(): Promise<void> {
    const membership = this.#losses;
    const isAnother = () => membership !== this.#losses;
    if (!this.isMember) {
      const joined = await this.#join();
      if (joined.kind !== "ok" || isAnother()) return;
      // It may have been a member before, without having heard of it, and owe what it never knew that it had: it has to say first
      // what it has now.
      await this.#told(joined.value, null);
    }
    const { asked, answer } = await this.#heartbeat();
    // It has left meanwhile.
    if (isAnother()) return;
    if (answer.kind === "ok") await this.#told(answer.value, asked);
    else if (answer.kind === "refused") await this.#refused(answer.code);
  }

  /** Whatever its application does meanwhile, a member says that it lives. */
  async #keepAlive(): Promise<void> {
    this.#isKeptAlive = true;
    while (this.isMember && !this.#client.isRetired) {
      await this.#client.wait(Math.ceil(this.options.sessionTimeoutMs / 4));
      if (this.isMember && !this.#client.isRetired) await this.beat();
    }
    this.#isKeptAlive = false;
  }

  async leave(): Promise<void> {
    const { groupId } = this.options;
    const { memberId } = this;
    const recorded = this.#client.world.recorder.asked("leave", this.#client.name, { groupId, memberId });
    this.lose();
    const answer = await this.#client.connection.ask((cluster, wait) =>
      cluster.groups.leave({ groupId, memberId }, wait),
    );
    if (answer.kind === "ok") recorded.ok({});
    else end(recorded, answer);
  }

  /** It has nothing any more, as far as it knows. */
  lose(): void {
    this.#losses++;
    this.isMember = false;
    this.owned.clear();
    this.#believe(null);
  }

  /** A new row of polls begins. */
  seek(owned: Owned, position: number | null): void {
    owned.position = position;
    owned.reader = `${this.#client.name}~${this.#rows++}`;
  }

  async #join(): Promise<Answer<MemberView>> {
    const { groupId } = this.options;
    const { memberId } = this;
    const request = { ...this.options, memberId };
    const recorded = this.#client.world.recorder.asked("join", this.#client.name, { groupId, memberId });
    const answer = await this.#client.connection.ask((cluster, wait) => cluster.groups.join(request, wait));
    if (answer.kind === "ok") recorded.ok(toldOf(answer.value));
    else end(recorded, answer);
    return answer;
  }

  async #heartbeat(): Promise<{ asked: Operation<"heartbeat">; answer: Answer<MemberView> }> {
    const { groupId } = this.options;
    const { memberId, generation } = this;
    const owned = [...this.owned.values()];
    const asked = { groupId, memberId, generation, owned: [...this.owned.keys()] };
    const recorded = this.#client.world.recorder.asked("heartbeat", this.#client.name, asked);
    const request = {
      groupId,
      memberId,
      generation,
      owned: owned.map(({ place, topicId }) => ({ ...place, topicId })),
    };
    const answer = await this.#client.connection.ask((cluster, wait) =>
      cluster.groups.heartbeat(request, wait),
    );
    if (answer.kind === "ok") recorded.ok(toldOf(answer.value));
    else end(recorded, answer);
    return { asked: recorded.operation, answer };
  }

  /** `asked`: what has it believe; `null`: it may believe nothing for that. */
  async #told(view: MemberView, asked: Operation<"heartbeat"> | null): Promise<void> {
    if (view.memberSince !== this.#memberSince) this.owned.clear();
    this.#memberSince = view.memberSince;
    this.isMember = true;
    const assigned = new Map(view.assignment.map((each) => [placeName(each), each]));
    const revoked = [...this.owned].filter(([name]) => !assigned.has(name));
    this.generation = view.generation;
    if (revoked.length > 0) await this.#letGo(revoked.map(([, owned]) => owned));
    for (const [name] of revoked) this.owned.delete(name);
    for (const [name, { topic, partition, topicId }] of assigned) {
      if (this.owned.has(name)) continue;
      const owned: Owned = { place: { topic, partition }, topicId, position: null, reader: "" };
      this.seek(owned, null);
      this.owned.set(name, owned);
    }
    this.#believe(asked);
  }

  async #refused(code: string): Promise<void> {
    if (code === "UNKNOWN_MEMBER" || code === "UNKNOWN_GROUP") this.lose();
    if (code !== "ILLEGAL_GENERATION" && code !== "NOT_PARTITION_OWNER") return;
    const { groupId } = this.options;
    const { memberId } = this;
    const losses = this.#losses;
    const answer = await this.#client.connection.ask((cluster, wait) =>
      cluster.groups.assignment({ groupId, memberId }, wait),
    );
    if (losses !== this.#losses) return;
    // A question is no sign of life: it tells what is assigned, and holds no session.
    if (answer.kind === "ok") await this.#told(answer.value, null);
    else if (answer.kind === "refused" && isSure(answer.code)) this.lose();
  }

  #believe(asked: Operation<"heartbeat"> | null): void {
    const { recorder, timeline } = this.#client.world;
    const { groupId, sessionTimeoutMs, rebalanceTimeoutMs } = this.options;
    const { memberId, generation } = this;
    const untilMs = asked === null ? 0 : asked.atMs + Math.min(sessionTimeoutMs, rebalanceTimeoutMs);
    const places = untilMs > timeline.nowMs ? [...this.owned.keys()] : [];
    const what = { groupId, memberId, generation, memberSince: this.#memberSince, places, untilMs };
    recorder.happened({ kind: "believes", ...what, askedOrder: asked?.order ?? recorder.order });
  }
}

function toldOf({ generation, memberSince, assignment }: MemberView) {
  return { generation, memberSince, assignment: assignment.map(placeName) };
}

function end(
  recorded: { failed(code: string): void; unknown(code: string): void },
  answer: Answer<unknown>,
): void {
  if (isInDoubt(answer)) recorded.unknown(codeOf(answer));
  else recorded.failed(codeOf(answer));
}
