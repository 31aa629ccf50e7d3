/**
 * How an event becomes a change of its group: judged by the newest state, written as one record, answered once that record,
 * and all before it, are acknowledged.
 *
 * Invariants: events of a group take effect in the order of the calls; a refused event, and one whose record the log refused,
 * leave the group as it was.
 * Never: an answer that a crash or a promotion could take back.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { CoordinatorShard, Decision } from "../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../coordinator/coordinator-topic.ts";
import type { Wait } from "../coordinator/give-up.ts";
import type { Env } from "../env/env.ts";
import { BrokerError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { quoted } from "../quoted.ts";
import type { ClassicGroup } from "./classic/classic-state.ts";
import type { GroupEvent, GroupEventKind } from "./group-events.ts";
import { currentGroup, type GroupKinds } from "./group-kinds.ts";
import { groupRecord } from "./group-record.ts";
import { groupTooLarge } from "./group-refusals.ts";
import type { Group, SeenTopic } from "./group-state.ts";
import { eventsOf, type GroupChange } from "./group-trace.ts";
import type { GroupWorld, RebalanceDial } from "./rebalance.ts";
import { after } from "./transitions.ts";

export interface GroupParts {
  readonly topic: CoordinatorTopic<GroupKinds>;
  readonly topicOf: (topic: string) => SeenTopic | null;
  readonly rebalance: RebalanceDial;
}

/** What is asked of one group. */
export interface GroupAct<Answer> {
  /** What happens to the group as it is; `null`: nothing. May throw a refusal. */
  readonly event: (group: Group, kinds: GroupKinds) => GroupEvent | null;
  /** What to say of the group after it. May throw a refusal. */
  readonly answer: (group: Group, kinds: GroupKinds) => Answer;
  /** What to say while the group is a classic one that has members: nothing happens to it here. May throw a refusal. */
  readonly whileClassic: (group: ClassicGroup) => Answer;
  /** Records that go with the group's own, all or none. */
  readonly records?: (group: Group, kinds: GroupKinds) => readonly CoordinatorRecord[];
}

/** Events that look at the topics anew by themselves. */
const LOOKS_AT_TOPICS: ReadonlySet<GroupEventKind> = new Set(["join", "resubscribe", "leave", "expire"]);

/** With a refusal the changes stand, and the request is refused all the same: by the group that they made. */
type Outcome<Answer> = { readonly answer: Answer } | { readonly refusal: BrokerError };

export class GroupChanges {
  readonly parts: GroupParts;
  readonly #env: Env;

  constructor(parts: GroupParts, env: Env) {
    this.parts = parts;
    this.#env = env;
  }

  /** Rejects with what `act` throws, and as CoordinatorShard.write does. Where it is `at` is known already to who goes round. */
  async act<Answer>(
    groupId: string,
    act: GroupAct<Answer>,
    { at, ...wait }: Wait & { readonly at?: CoordinatorShard<GroupKinds> } = {},
  ): Promise<Answer> {
    const decide = (kinds: GroupKinds): Decision<Outcome<Answer>> => {
      const classic = kinds.group.occupied(groupId);
      if (classic !== null) return { records: [], answer: { answer: act.whileClassic(classic) } };
      return this.#decide(currentGroup(kinds, groupId), act, kinds);
    };
    const result = await (at === undefined
      ? this.parts.topic.write(groupId, decide, wait)
      : at.write(decide, wait));
    if ("refusal" in result) throw result.refusal;
    return result.answer;
  }

  #decide<Answer>(before: Group, act: GroupAct<Answer>, kinds: GroupKinds): Decision<Outcome<Answer>> {
    const changes: GroupChange[] = [];
    let group = before;
    const take = (event: GroupEvent) => {
      const next = after(group, event, this.#world());
      if (next === group) return;
      const change = { before: group, after: next, event };
      requireRoom(change, kinds);
      changes.push(change);
      group = next;
    };
    const result = refusable(changes, () => {
      let event = act.event(group, kinds);
      if (event === null || !LOOKS_AT_TOPICS.has(event.kind)) {
        take({ kind: "topics_changed" });
        event = act.event(group, kinds);
      }
      if (event !== null) take(event);
      return act.answer(group, kinds);
    });
    const others = "answer" in result ? (act.records?.(group, kinds) ?? []) : [];
    const own = changes.length > 0 ? [groupRecord(group)] : [];
    // Told also when nobody waits for the answer any more.
    const onAcknowledged = () => {
      for (const change of changes) this.#tell(change);
    };
    return { records: [...others, ...own], answer: result, onAcknowledged };
  }

  #tell(change: GroupChange): void {
    for (const event of eventsOf(change, this.parts.rebalance)) this.#env.trace(event);
  }

  #world(): GroupWorld {
    const { rebalance, topicOf } = this.parts;
    return { rebalance, topicOf, nowMs: this.#env.clock.nowMs() };
  }
}

/** A refusal after nothing has changed is thrown; after something has, it waits until that is durable. */
function refusable<Answer>(changes: readonly GroupChange[], decide: () => Answer): Outcome<Answer> {
  try {
    return { answer: decide() };
  } catch (problem) {
    if (!(problem instanceof BrokerError) || changes.length === 0) throw problem;
    return { refusal: problem };
  }
}

const ASKS_FOR_ROOM: ReadonlySet<GroupEventKind> = new Set(["join", "resubscribe"]);

/** Throws GROUP_MAX_SIZE_REACHED and INVALID_REQUEST. What is there already may grow, since its topics do. */
function requireRoom({ before, after: group, event }: GroupChange, kinds: GroupKinds): void {
  if (!ASKS_FOR_ROOM.has(event.kind)) return;
  const { groupRecordBytesMax, groupsPerPartitionMax } = LIMITS;
  if (before.generation === 0 && kinds.group.size >= groupsPerPartitionMax) {
    const message = `there are ${kinds.group.size} groups beside ${quoted(group.groupId)}; expected fewer than ${groupsPerPartitionMax}`;
    throw new BrokerError("INVALID_REQUEST", message);
  }
  const bytes = Buffer.byteLength(JSON.stringify(groupRecord(group).value));
  if (bytes <= groupRecordBytesMax) return;
  throw groupTooLarge(
    `the group ${quoted(group.groupId)} would take ${bytes} bytes to describe; expected at most ${groupRecordBytesMax}`,
  );
}
