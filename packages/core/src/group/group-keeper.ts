/**
 * The groups of one shard in memory.
 *
 * Owns: each group as the last record says it, acknowledged or not, by which the next event is judged; each as the last
 * acknowledged record says it, which is what is shown; and the members' sessions.
 * Never: a group that is shown and may yet be lost.
 */
import type { CoordinatorRecord } from "../coordinator/coordinator-record.ts";
import type { RecordsOfKind } from "../coordinator/record-kinds.ts";
import type { Clock } from "../env/clock.ts";
import { type GroupEntry, parseGroupRecord } from "./group-record.ts";
import { type Group, newGroup } from "./group-state.ts";
import { Sessions } from "./sessions.ts";

export class GroupKeeper implements RecordsOfKind<GroupEntry> {
  readonly sessions: Sessions;
  readonly #current = new Map<string, Group>();
  readonly #committed = new Map<string, Group>();
  /** Those of the committed that have members: few, where many groups only have offsets left. */
  readonly #withMembers = new Set<string>();

  constructor(clock: Clock) {
    this.sessions = new Sessions(clock);
  }

  read(record: CoordinatorRecord): GroupEntry {
    return parseGroupRecord(record);
  }

  append({ groupId, group }: GroupEntry): void {
    if (group === null) {
      this.#current.delete(groupId);
      this.sessions.forget(groupId);
    } else {
      this.#current.set(groupId, group);
      this.sessions.follow(group);
    }
  }

  commit({ groupId, group }: GroupEntry): void {
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
    return this.#current.size;
  }

  /** The group as the next event finds it; a dead one where there is none. */
  current(groupId: string): Group {
    return this.#current.get(groupId) ?? newGroup(groupId);
  }

  /** The group as it may be shown; a dead one where there is none. */
  committed(groupId: string): Group {
    return this.#committed.get(groupId) ?? newGroup(groupId);
  }

  /** All that may be shown, dead ones too. */
  allCommitted(): Iterable<Group> {
    return this.#committed.values();
  }

  /** Those of them that have members. */
  *committedWithMembers(): Iterable<Group> {
    for (const groupId of this.#withMembers) yield this.committed(groupId);
  }
}
