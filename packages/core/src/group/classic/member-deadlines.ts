/**
 * When members of a classic group were heard of, and whose time is over.
 *
 * Owns: instants of the monotonic clock, in memory alone: what was loaded begins anew, so that no restart expires anybody.
 * Never: the time of day, which somebody may set.
 */
import type { Clock } from "../../env/clock.ts";
import { LIMITS } from "../../limits.ts";
import type { Expiry } from "../group-events.ts";
import type { TimePassed } from "./classic-events.ts";
import type { ClassicGroup, ClassicMember } from "./classic-state.ts";
import type { Parked } from "./parked.ts";

/** A time from which on something is over, in ms from now on. `memberId`: `null` for the whole group. */
export interface ClassicDeadline {
  readonly memberId: string | null;
  readonly what: "session_timeout" | "rebalance_timeout" | "initial_rebalance_delay";
  readonly leftMs: number;
}

export class ClassicSessions {
  readonly #clock: Clock;
  #heardMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The group is now like this: sessions of new members begin, those of members that are gone end. */
  follow({ members }: ClassicGroup): void {
    const isSame =
      members.size === this.#heardMs.size &&
      [...members.keys()].every((memberId) => this.#heardMs.has(memberId));
    if (isSame) return;
    const nowMs = this.#clock.monotonicMs();
    this.#heardMs = new Map(
      Array.from(members.keys(), (memberId) => [memberId, this.#heardMs.get(memberId) ?? nowMs]),
    );
  }

  /** The member lives. */
  hear(memberId: string): void {
    if (this.#heardMs.has(memberId)) this.#heardMs.set(memberId, this.#clock.monotonicMs());
  }

  /** For how long the member was silent. */
  silenceMs(memberId: string): number {
    const heardMs = this.#heardMs.get(memberId);
    return heardMs === undefined ? 0 : Math.max(0, Math.floor(this.#clock.monotonicMs() - heardMs));
  }

  /** What is over now; `null`: nothing. */
  passed(group: ClassicGroup, parked: Parked): TimePassed | null {
    const nowMs = this.#clock.monotonicMs();
    const silent = [...group.members.values()].flatMap((member): Expiry[] => {
      const dueMs = this.#dueMs(member, parked);
      const { memberId } = member;
      if (dueMs === null || nowMs < dueMs) return [];
      return [{ memberId, cause: "session_timeout", timeoutMs: timeoutOf(member) }];
    });
    const forgottenIds = [...group.pendingIds].flatMap(([memberId, { dueMs }]) =>
      nowMs >= dueMs ? [memberId] : [],
    );
    // Answers that are decided come first: with them the time of the phase begins.
    const isPhaseOver = group.phase !== null && nowMs >= group.phase.dueMs && !parked.isAnyoneOwed;
    return silent.length + forgottenIds.length > 0 || isPhaseOver
      ? { silent, forgottenIds, isPhaseOver }
      : null;
  }

  /** What time alone will bring, if nothing is heard. */
  deadlines({ members, pendingIds, phase }: ClassicGroup, parked: Parked): ClassicDeadline[] {
    const nowMs = this.#clock.monotonicMs();
    const what = "session_timeout" as const;
    const sessions = [...members.values()].flatMap((member): ClassicDeadline[] => {
      const dueMs = this.#dueMs(member, parked);
      return dueMs === null ? [] : [{ memberId: member.memberId, what, leftMs: dueMs - nowMs }];
    });
    const ids = [...pendingIds].map(([memberId, { dueMs }]): ClassicDeadline => {
      return { memberId, what, leftMs: dueMs - nowMs };
    });
    const all: ClassicDeadline[] = [...sessions, ...ids];
    if (phase !== null && !parked.isAnyoneOwed) {
      const ofPhase = phase.initial === null ? "rebalance_timeout" : "initial_rebalance_delay";
      all.push({ memberId: null, what: ofPhase, leftMs: phase.dueMs - nowMs });
    }
    return all.filter(({ leftMs }) => leftMs > 0);
  }

  /** `null`: it waits for an answer, and can't show that it lives (Kafka: hasSatisfiedHeartbeat). */
  #dueMs(member: ClassicMember, parked: Parked): number | null {
    const { memberId, isNew, waitsFor } = member;
    if (!isNew && (waitsFor !== null || parked.isOwed(memberId))) return null;
    return (this.#heardMs.get(memberId) ?? 0) + timeoutOf(member);
  }
}

/** One that nobody has told of its membership can't beat; a request that waits for longer was given up (Kafka: 5 minutes). */
function timeoutOf({ isNew, sessionTimeoutMs }: ClassicMember): number {
  return isNew ? LIMITS.newMemberJoinTimeoutMs : sessionTimeoutMs;
}
