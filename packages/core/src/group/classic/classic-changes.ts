/**
 * How an event becomes a change of a classic group: judged by the newest state, written as one record when anybody was told
 * otherwise before, and told once that record, and all before it, are acknowledged.
 *
 * Invariants: events of a group take effect in the order of the calls; a refused event, and one whose record the log refused,
 * leave the group, and who waits in it, as they were.
 * Never: an answer that a crash or a promotion could take back.
 */
import type { CoordinatorRecord } from "../../coordinator/coordinator-record.ts";
import type { CoordinatorShard, Decision } from "../../coordinator/coordinator-shard.ts";
import type { CoordinatorTopic } from "../../coordinator/coordinator-topic.ts";
import { unlessGivenUp, type Wait } from "../../coordinator/give-up.ts";
import type { Env } from "../../env/env.ts";
import type { TraceEvent } from "../../env/trace.ts";
import { BrokerError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { quoted } from "../../quoted.ts";
import type { GroupConfig } from "../group-config.ts";
import type { GroupKinds } from "../group-kinds.ts";
import { groupTooLarge } from "../group-refusals.ts";
import type { ClassicEvent, Joined, Outcome, Synced } from "./classic-events.ts";
import type { ClassicRoom } from "./classic-keeper.ts";
import { classicRecord } from "./classic-record.ts";
import { otherKind, rebalancing } from "./classic-refusals.ts";
import type { ClassicGroup } from "./classic-state.ts";
import { classicEventsOf } from "./classic-trace.ts";
import type { Owed } from "./parked.ts";
import type { ClassicWorld } from "./rebalancing.ts";
import { isSameTold, toldPart } from "./told-part.ts";
import { afterClassic } from "./transitions.ts";

export interface ClassicParts {
  readonly topic: CoordinatorTopic<GroupKinds>;
  readonly config: Pick<GroupConfig, "groupInitialRebalanceDelayMs" | "groupMaxSize">;
}

/** What is asked of one classic group. */
export interface ClassicAct {
  /** What happens to the group as it is; `null`: nothing. May throw a refusal. `room`: where there is one already. */
  readonly event: (group: ClassicGroup, room: ClassicRoom | undefined) => ClassicEvent | null;
  /** Which member's request waits from here on, and for what. */
  readonly waits?: "join" | "sync";
}

export interface ClassicActed extends Omit<Outcome, "group"> {
  /** The answer to the request that waits; never where none does. */
  readonly answer: Promise<Joined | Synced>;
}

interface Taken extends ClassicActed {
  readonly owed: Owed;
  readonly events: readonly TraceEvent[];
}

export class ClassicChanges {
  readonly parts: ClassicParts;
  readonly #env: Env;

  constructor(parts: ClassicParts, env: Env) {
    this.parts = parts;
    this.#env = env;
  }

  get world(): ClassicWorld {
    const { groupInitialRebalanceDelayMs: initialDelayMs, groupMaxSize: sizeMax } = this.parts.config;
    const { clock } = this.#env;
    return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), initialDelayMs, sizeMax };
  }

  /**
   * Resolves when what has changed is acknowledged. Rejects with what `act` and the transition throw, with
   * INCONSISTENT_GROUP_PROTOCOL for a consumer group that has members, GROUP_MAX_SIZE_REACHED, and as CoordinatorShard.write.
   */
  act(
    groupId: string,
    act: ClassicAct,
    { giveUp, at }: Wait & { readonly at?: CoordinatorShard<GroupKinds> } = {},
  ): Promise<ClassicActed> {
    let taken: Taken | null = null;
    const decide = (kinds: GroupKinds): Decision<null> => {
      // Nobody waits for the answer, and nothing has happened yet.
      giveUp?.throwIfAborted();
      return this.#decide(groupId, act, kinds, (done) => {
        taken = done;
      });
    };
    const { topic } = this.parts;
    const written = at === undefined ? topic.write(groupId, decide) : at.write(decide);
    const told = written.then(
      () => {
        // Told also when nobody waits for the answer any more.
        for (const event of taken?.events ?? []) this.#env.trace(event);
        taken?.owed.tell();
        return taken ?? NOTHING_HAPPENED;
      },
      (problem: unknown) => {
        const told = ofCoordinator(problem);
        taken?.owed.fail(told);
        throw told;
      },
    );
    return unlessGivenUp(
      told,
      giveUp === undefined ? {} : { giveUp },
      () => `the change of ${quoted(groupId)}`,
    );
  }

  #decide(
    groupId: string,
    act: ClassicAct,
    { group: keeper }: GroupKinds,
    take: (taken: Taken) => void,
  ): Decision<null> {
    if (keeper.current(groupId).members.size > 0) throw otherKind(groupId, "consumer");
    const before = keeper.currentClassic(groupId);
    const known = keeper.classic.room(groupId);
    const event = act.event(before, known);
    const outcome =
      event === null ? { group: before, replies: [], removed: [] } : afterClassic(before, event, this.world);
    // Most requests are heartbeats, and change nothing.
    const isSame = outcome.group === before;
    if (!isSame) requireSpace(before, outcome.group, keeper.size);
    const records = isSame ? [] : newsOf(before, outcome.group);
    const onAppended = () => {
      const room = isSame && known !== undefined ? known : keeper.classic.take(outcome.group);
      const events = event === null ? [] : classicEventsOf({ before, event, outcome });
      take({ ...taken(room, { act, before, event, outcome }), events });
    };
    return { records, answer: null, onAppended };
  }
}

/** The group's record, when it says something else than the one before. */
function newsOf(before: ClassicGroup, after: ClassicGroup): CoordinatorRecord[] {
  const told = toldPart(after);
  return told === null || isSameTold(toldPart(before), told) ? [] : [classicRecord(told)];
}

/** Where there is no topic, there is no group, and nothing was to be changed. */
const NOTHING_HAPPENED: ClassicActed = { replies: [], removed: [], answer: new Promise(() => {}) };

/** `problem` as members of a group understand it: they look for their coordinator anew. */
export function ofCoordinator<Problem>(problem: Problem): Problem | BrokerError {
  if (!(problem instanceof BrokerError) || problem.code !== "FENCED_LEADER_EPOCH") return problem;
  return new BrokerError("NOT_COORDINATOR", problem.message, problem.details, { cause: problem });
}

interface Decided {
  readonly act: ClassicAct;
  readonly before: ClassicGroup;
  readonly event: ClassicEvent | null;
  readonly outcome: Outcome;
}

/** The request waits, answers are owed to whom they were decided for, and who has spoken lives. */
function taken(room: ClassicRoom, { act, before, event, outcome }: Decided): Omit<Taken, "events"> {
  const memberId = event !== null && "memberId" in event ? event.memberId : null;
  const answer =
    act.waits === undefined || memberId === null
      ? new Promise<never>(() => {})
      : room.parked.park(act.waits, memberId, rebalancing(outcome.group));
  if (memberId !== null) room.sessions.hear(memberId);
  const { replies, removed, group } = outcome;
  const settled = (id: string) => {
    room.sessions.hear(id);
    if (group.generation !== before.generation) room.beginPhaseAnew(group.generation);
  };
  for (const reply of replies) room.sessions.hear(reply.memberId);
  return { replies, removed, answer, owed: room.parked.owe(replies, settled) };
}

/** Throws GROUP_MAX_SIZE_REACHED and INVALID_REQUEST. Who waits takes room as if it were told; what goes needs none. */
function requireSpace(before: ClassicGroup, group: ClassicGroup, groups: number): void {
  const { groupRecordBytesMax, groupsPerPartitionMax } = LIMITS;
  if (before.state === "dead" && groups >= groupsPerPartitionMax) {
    const message = `there are ${groups} groups beside ${quoted(group.groupId)}; expected fewer than ${groupsPerPartitionMax}`;
    throw new BrokerError("INVALID_REQUEST", message);
  }
  const bytes = bytesOf(group);
  if (bytes <= groupRecordBytesMax || bytes <= bytesOf(before)) return;
  throw groupTooLarge(
    `the group ${quoted(group.groupId)} would take ${bytes} bytes to describe; expected at most ${groupRecordBytesMax}`,
  );
}

/** About what its record takes, and never less. */
function bytesOf({ members }: ClassicGroup): number {
  let bytes = 1024;
  for (const { protocols, assignment, ...member } of members.values()) {
    bytes += 512 + base64Bytes(assignment);
    for (const text of [member.memberId, member.instanceId ?? "", member.clientId, member.clientHost])
      bytes += JSON.stringify(text).length * 3;
    for (const { name, metadata } of protocols) bytes += 64 + name.length * 6 + base64Bytes(metadata);
  }
  return bytes;
}

function base64Bytes(bytes: Buffer): number {
  return Math.ceil(bytes.length / 3) * 4;
}
