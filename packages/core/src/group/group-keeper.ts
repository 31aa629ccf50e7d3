/**
 * The groups of one shard in memory: consumer groups here, classic ones in a keeper of their own.
 *
 * Owns: each consumer group as the last record says it, acknowledged or not, by which the next event is judged; each as the last
 * acknowledged record says it, which is what is shown; and the members' sessions.
 * Never: a group that is shown and may yet be lost.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { RecordsOfKind } from "../coordinator/record-kinds.ts";
import type { Clock } from "../env/clock.ts";
import { ClassicKeeper, type ClassicRoom } from "./classic/classic-keeper.ts";
import { type ClassicGroup, deadClassicGroup } from "./classic/classic-state.ts";
import { type GroupEntry, parseGroupRecord } from "./group-record.ts";
import { type Group, newGroup } from "./group-state.ts";
import { Sessions } from "./sessions.ts";

export class GroupKeeper implements RecordsOfKind<GroupEntry> {
  readonly sessions: Sessions;
  readonly classic: ClassicKeeper;
  readonly #current = new Map<string, Group>();
  readonly #committed = new Map<string, Group>();
  /** Those of the committed that have members: few, where many groups only have offsets left. */
  readonly #withMembers = new Set<string>();

  constructor(clock: Clock) {
    this.sessions = new Sessions(clock);
    this.classic = new ClassicKeeper(clock);
  }

  read(record: CoordinatorRecord): GroupEntry {
    return parseGroupRecord(record);
  }

  append({ groupId, group, classic }: GroupEntry): void {
    if (classic !== undefined) {
      this.#current.delete(groupId);
      this.sessions.forget(groupId);
      this.classic.append(classic);
      return;
    }
    // What is shown stays until this record is acknowledged.
    const emptied = this.#emptied(groupId, (room) => room.shown);
    if (emptied !== null && !this.#committed.has(groupId)) this.#committed.set(groupId, emptied);
    this.classic.outdate(groupId);
    if (group === null) {
      this.#current.delete(groupId);
      this.sessions.forget(groupId);
    } else {
      this.#current.set(groupId, group);
      this.sessions.follow(group);
    }
  }

  commit({ groupId, group, classic }: GroupEntry): void {
    if (classic !== undefined) this.classic.commit(classic);
    if (group === null) this.#committed.delete(groupId);
    else this.#committed.set(groupId, group);
    if (group !== null && group.members.size > 0) this.#withMembers.add(groupId);
    else this.#withMembers.delete(groupId);
  }

  restore(entry: GroupEntry): void {
    this.append(entry);
    this.commit(entry);
  }

  /** How many there are, dead ones too. */
  get size(): number {
    return this.#current.size + this.classic.size;
  }

  /** The consumer group as the next event finds it; a dead one where there is none. An empty classic one is as good. */
  current(groupId: string): Group {
    return this.#current.get(groupId) ?? this.#emptied(groupId, (room) => room.group) ?? newGroup(groupId);
  }

  /** The same as it may be shown. */
  committed(groupId: string): Group {
    return this.#committed.get(groupId) ?? this.#emptied(groupId, (room) => room.shown) ?? newGroup(groupId);
  }

  /** All that may be shown, dead ones too, but for classic groups with members. */
  *allCommitted(): Iterable<Group> {
    yield* this.#committed.values();
    for (const [groupId] of this.classic.rooms()) {
      if (this.#committed.has(groupId) || this.occupied(groupId) !== null) continue;
      const group = this.#emptied(groupId, (room) => room.shown);
      if (group !== null) yield group;
    }
  }

  /** The classic group as the next event finds it. Where there is a consumer group it must have no members. */
  currentClassic(groupId: string): ClassicGroup {
    const group = this.classic.room(groupId)?.group ?? deadClassicGroup(groupId);
    const consumer = this.#current.get(groupId);
    if (consumer === undefined || group.members.size > 0) return group;
    const { generation, emptySinceMs, lastRebalance, isDead } = consumer;
    const state = isDead ? "dead" : "empty";
    const { pendingIds } = group;
    return { ...deadClassicGroup(groupId), state, generation, emptySinceMs, lastRebalance, pendingIds };
  }

  /** The classic group of that name if it has members, whom nobody may take the group from. */
  occupied(groupId: string): ClassicGroup | null {
    const group = this.classic.room(groupId)?.group;
    return group !== undefined && group.members.size > 0 ? group : null;
  }

  /** A classic group without members, as a consumer group without any. */
  #emptied(groupId: string, look: (room: ClassicRoom) => ClassicGroup | null): Group | null {
    const room = this.classic.room(groupId);
    const group = room?.isRecorded === true ? look(room) : null;
    if (group === null) return null;
    const { generation, emptySinceMs, lastRebalance } = group;
    return { ...newGroup(groupId), generation, emptySinceMs, lastRebalance, isDead: false };
  }

  /** Those of them that have members. */
  *committedWithMembers(): Iterable<Group> {
    for (const groupId of this.#withMembers) yield this.committed(groupId);
  }
}
