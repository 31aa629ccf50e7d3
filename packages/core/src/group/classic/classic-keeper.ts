/**
 * The classic groups of one shard in memory.
 *
 * Owns: each group as the next event finds it, with all that is memory alone: who waits, ids that were given, time limits and
 * sessions; beside it the group as it may be shown.
 * Invariant: a group is shown as it is when nothing of it is open, and else as it was then.
 * Never: a group that is shown and may yet be lost; an empty one of which there is no record.
 */
import type { Clock } from "../../env/clock.ts";
import type { BrokerError } from "../../errors.ts";
import { type ClassicGroup, rebalanceTimeoutOf } from "./classic-state.ts";
import { ClassicSessions } from "./member-deadlines.ts";
import { Parked } from "./parked.ts";

export class ClassicRoom {
  readonly parked = new Parked();
  readonly sessions: ClassicSessions;
  /** As the next event finds it. */
  group: ClassicGroup;
  /** As it may be shown; `null` before it may. */
  shown: ClassicGroup | null = null;
  /** There is a record of it, acknowledged or not. */
  isRecorded = false;
  /** Records whose acknowledgement is open. */
  open = 0;

  readonly #clock: Clock;

  constructor(group: ClassicGroup, clock: Clock) {
    this.group = group;
    this.#clock = clock;
    this.sessions = new ClassicSessions(clock);
  }

  /** From here on it is like this. */
  take(group: ClassicGroup): void {
    this.group = group;
    this.sessions.follow(group);
    if (this.open === 0) this.shown = group;
  }

  /** Its members have been told of that generation only now, so that their time for asking what they were assigned begins now. */
  beginPhaseAnew(generation: number): void {
    const { phase, state } = this.group;
    if (phase === null || state === "preparing_rebalance" || this.group.generation !== generation) return;
    const dueMs = this.#clock.monotonicMs() + rebalanceTimeoutOf(this.group);
    this.take({ ...this.group, phase: { ...phase, dueMs } });
  }
}

export class ClassicKeeper {
  readonly #clock: Clock;
  readonly #rooms = new Map<string, ClassicRoom>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#rooms.size;
  }

  room(groupId: string): ClassicRoom | undefined {
    return this.#rooms.get(groupId);
  }

  /** By group. */
  rooms(): Iterable<[groupId: string, room: ClassicRoom]> {
    return this.#rooms;
  }

  /** The group has come to be like this, in memory. */
  take(group: ClassicGroup): ClassicRoom {
    const room = this.#roomFor(group);
    room.take(group);
    this.#forgetIfNothing(room);
    return room;
  }

  /** A record of it stands in the log. What was loaded has time limits that begin anew. */
  append(group: ClassicGroup): void {
    const timed = this.#timed(group);
    const room = this.#roomFor(timed);
    room.isRecorded = true;
    room.open += 1;
    room.take(timed);
  }

  commit({ groupId }: ClassicGroup): void {
    const room = this.#rooms.get(groupId);
    if (room === undefined) return;
    room.open -= 1;
    if (room.open > 0) return;
    room.shown = room.group;
    this.#forgetIfNothing(room);
  }

  /** A record of another kind, or that nothing is left, stands in the log behind it. */
  outdate(groupId: string): void {
    const room = this.#rooms.get(groupId);
    if (room === undefined) return;
    room.isRecorded = false;
    this.#forgetIfNothing(room);
  }

  /** Nothing is decided here any more: who waits is told, and looks for the coordinator anew. */
  abandon(problem: BrokerError): void {
    for (const { parked } of this.#rooms.values()) parked.abandon(problem);
  }

  #forgetIfNothing({ group, isRecorded, open }: ClassicRoom): void {
    const { groupId, members, pendingIds } = group;
    if (!isRecorded && open === 0 && members.size === 0 && pendingIds.size === 0) this.#rooms.delete(groupId);
  }

  #roomFor(group: ClassicGroup): ClassicRoom {
    const known = this.#rooms.get(group.groupId);
    if (known !== undefined) return known;
    const room = new ClassicRoom(group, this.#clock);
    this.#rooms.set(group.groupId, room);
    return room;
  }

  #timed(group: ClassicGroup): ClassicGroup {
    if (group.state !== "preparing_rebalance" && group.state !== "completing_rebalance") return group;
    // Why the next generation is prepared stands in no record.
    const known = group.state === "completing_rebalance" ? group.lastRebalance : null;
    const reason = known?.reason ?? "the coordinator was loaded";
    const beganAtMs = known?.atMs ?? this.#clock.nowMs();
    const dueMs = this.#clock.monotonicMs() + rebalanceTimeoutOf(group);
    return { ...group, phase: { reason, beganAtMs, dueMs, initial: null } };
  }
}
